// Measures ours beside a bare loop, alternating in one run, and prints medians and ratios.
//   npm run build && npm run bench             all rows, ours against the bare loop
//   npm run bench -- --peers                   with peers, installed outside the repository
//   npm run bench -- --only gap --runs 3
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bare, installPeers, ours, peersFolder, type Ran, runOnce } from "./contenders.ts";
import { type Asked, type BenchServer, type Exchange, startBenchServer } from "./model-server.ts";
import { median, Report } from "./report.ts";
import { type Side, type ToolRow, toolRows } from "./tool-rows.ts";

interface Row {
  name: string;
  ask(turn: number): Asked;
  /** Figures of one run, by name; lower is better. */
  figures(exchanges: readonly Exchange[], ran: Ran): Record<string, number | undefined>;
  /** Fewer runs for the long ones. */
  runs?: number;
}

/** A small read, another one each turn: equal ones would be a circle. */
const read = (turn: number): Asked => [
  { name: "read", input: { path: "small.txt", limit: turn + 1 } },
];

const rows: Row[] = [
  {
    name: "start",
    ask: () => [],
    figures: ([first], { startedAt }) => ({
      "start to first request, ms": first && first.requestAt - startedAt,
      "first request body, bytes": first?.bodyBytes,
    }),
  },
  ...[10, 100, 1000].map((turns): Row => ({
    name: `gap-${turns}`,
    ask: (turn) => (turn < turns ? read(turn) : []),
    figures: (exchanges, { peakMb }) => {
      const gaps = gapsOf(exchanges);
      const tenth = Math.floor(gaps.length / 10);
      return {
        [`gap over ${turns} turns, p50 ms`]: median(gaps),
        ...(turns === 1000
          ? {
              "last tenth / second tenth of 1000 turns":
                median(gaps.slice(-tenth)) / median(gaps.slice(tenth, 2 * tenth)),
              "peak PSS over 1000 turns, MB": peakMb,
            }
          : {}),
      };
    },
  })),
  {
    name: "write",
    ask: (turn) =>
      turn === 0
        ? [
            {
              name: "write",
              input: { path: "big.txt", content: "x".repeat(1024 * 1024) },
              deltaSize: 16,
            },
          ]
        : [],
    figures: (exchanges) => ({
      "1 MiB write, first byte to next request, ms": wholeTurn(exchanges),
      "1 MiB write, last delta to next request, ms": gapsOf(exchanges)[0],
    }),
  },
  {
    name: "sleeps",
    ask: (turn) =>
      turn === 0
        ? Array.from({ length: 8 }, () => ({ name: "bash", input: { command: "sleep 0.3" } }))
        : [],
    figures: (exchanges) => ({
      "8 × sleep 0.3, end of message to next request, ms": gapsOf(exchanges)[0],
    }),
  },
];

/** From the end of an answer to the next request. */
function gapsOf(exchanges: readonly Exchange[]): number[] {
  return exchanges
    .slice(1)
    .map(({ requestAt }, at) => requestAt - (exchanges[at]?.answeredAt ?? 0));
}

function wholeTurn([first, second]: readonly Exchange[]): number | undefined {
  return first && second ? second.requestAt - first.requestAt : undefined;
}

const { values } = parseArgs({
  options: {
    peers: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  },
});

if (!existsSync("dist/bin.js")) {
  console.error("Nothing is built yet: npm run build first.");
  process.exit(2);
}
const runs = Number(values.runs);
const contenders = [bare, ours, ...(values.peers ? installPeers() : [])];
const chosen = rows.filter(({ name }) => name.includes(values.only));
const server = await startBenchServer();
const folder = mkdtempSync(join(tmpdir(), "errand-bench-"));
writeFileSync(join(folder, "small.txt"), "one\ntwo\nthree\n");
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
console.log(`bare loop: ${readFileSync("bench/bare-loop.mjs", "utf8").split("\n").length} lines\n`);
try {
  for (const row of chosen) await measure(row, { server, folder });
  for (const row of toolRows) if (row.name.includes(values.only)) await measureTool(row);
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
}

async function measure(
  row: Row,
  { server, folder }: { server: BenchServer; folder: string },
): Promise<void> {
  const report = new Report();
  // One round that is not counted warms caches; then everybody runs once in each round.
  for (let round = 0; round <= runs; round++) {
    for (const contender of contenders) {
      if (report.hasFailed(contender.name)) continue;
      server.begin(row.ask);
      try {
        const ran = await runOnce(contender, { url: server.url, cwd: folder });
        if (round > 0) report.add(contender.name, row.figures(server.exchanges, ran));
      } catch (error) {
        report.fail(contender.name, error);
      }
    }
  }
  report.print();
}

async function measureTool(row: ToolRow): Promise<void> {
  const report = new Report();
  const own = mkdtempSync(join(tmpdir(), `errand-bench-${row.name}-`));
  const sides = [...Object.entries(row.sides), ...peerSidesOf(row)];
  try {
    await row.prepare(own);
    for (let round = 0; round <= Math.min(runs, row.runs ?? runs); round++) {
      for (const [name, side] of sides) {
        if (report.hasFailed(name)) continue;
        try {
          const figures = await side(own);
          if (round > 0) report.add(name, figures);
        } catch (error) {
          report.fail(name, error);
        }
      }
    }
    report.print();
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function peerSidesOf({ peerSides = {} }: ToolRow): [string, Side][] {
  if (!values.peers) return [];
  return Object.entries(peerSides).map(([name, side]) => [name, (own) => side(own, peersFolder)]);
}
