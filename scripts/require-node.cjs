// Loaded before every script (`node --require`): an older node cannot even read TypeScript, so this is plain CommonJS.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    "This needs Node.js 22.19 or newer, and this is " +
      process.versions.node +
      ". Run `npm ci` first: it brings the right one along, and `npm test` and the other scripts use it.",
  );
  process.exit(2);
}
