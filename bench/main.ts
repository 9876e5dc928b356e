// Measures ours beside a bare loop, alternating in one run, and prints medians and ratios.
//   npm run build && npm run bench             all rows, ours against the bare loop
//   npm run bench -- --peers                   with peers, installed outside the repository
//   npm run bench -- --only gap --runs 3
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bare, type Contender, installPeers, ours, type Ran, runOnce } from "./contenders.ts";
import { type Asked, type BenchServer, type Exchange, startBenchServer } from "./model-server.ts";

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

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
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
const contenders = [bare, ours, ...(values.peers ? installPeers() : [])];
const chosen = rows.filter(({ name }) => name.includes(values.only));
const server = await startBenchServer();
const folder = mkdtempSync(join(tmpdir(), "errand-bench-"));
writeFileSync(join(folder, "small.txt"), "one\ntwo\nthree\n");
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
console.log(`bare loop: ${readFileSync("bench/bare-loop.mjs", "utf8").split("\n").length} lines\n`);
try {
  for (const row of chosen) await measure(row, { server, folder });
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
}

async function measure(
  row: Row,
  { server, folder }: { server: BenchServer; folder: string },
): Promise<void> {
  const seen = new Map<Contender, Map<string, number[]>>();
  const failed = new Map<Contender, string>();
  const runs = Number(values.runs);
  // One round that is not counted warms caches; then everybody runs once in each round.
  for (let round = 0; round <= runs; round++) {
    for (const contender of contenders) {
      if (failed.has(contender)) continue;
      server.begin(row.ask);
      try {
        const ran = await runOnce(contender, { url: server.url, cwd: folder });
        if (round > 0) note(seen, contender, row.figures(server.exchanges, ran));
      } catch (error) {
        failed.set(contender, (error as Error).message);
      }
    }
  }
  print(seen, failed);
}

function note(
  seen: Map<Contender, Map<string, number[]>>,
  contender: Contender,
  figures: Record<string, number | undefined>,
): void {
  const own = seen.get(contender) ?? new Map<string, number[]>();
  seen.set(contender, own);
  for (const [name, value] of Object.entries(figures)) {
    if (value !== undefined) own.set(name, [...(own.get(name) ?? []), value]);
  }
}

function print(seen: Map<Contender, Map<string, number[]>>, failed: Map<Contender, string>): void {
  const names = new Set([...seen.values()].flatMap((own) => [...own.keys()]));
  for (const name of names) {
    console.log(name);
    const base = median(seen.get(bare)?.get(name) ?? []);
    for (const [contender, own] of seen) {
      const figures = own.get(name);
      if (!figures) continue;
      const own50 = median(figures);
      const range = `${format(Math.min(...figures))} – ${format(Math.max(...figures))}`;
      const ratio = contender === bare ? "" : `  ${(own50 / base).toFixed(2)} × bare`;
      console.log(
        `  ${contender.name.padEnd(12)} ${format(own50).padStart(9)}  (${range})${ratio}`,
      );
    }
  }
  for (const [contender, why] of failed) console.log(`  ${contender.name}: ${why.split("\n")[0]}`);
  console.log("");
}

function format(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}
