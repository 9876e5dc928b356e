// The rows of text that a terminal without an edge would hold: what was written over, erased or moved away from is gone. Rows
// that are only added to stay as they are; the others become cells.
import { clustersOf, clusterWidth } from "./width.ts";

/** No move goes further right. Cells. */
const MAX_COLUMN = 1000;
/** No position on a page lies deeper. Rows. */
const MAX_PAGE_ROW = 1000;
/** Cells and rows that moves and erasures may cost in all; what comes after that is left undone, so that no text takes long. */
const MAX_WORK = 1_000_000;
const TAB_WIDTH = 8;
/** The further cells of a wide cluster. */
const REST = "";

interface Row {
  /** As long as nothing was written over. */
  text: string;
  cells: string[] | undefined;
}

type ErasedPart = "after" | "before" | "all";

/** A grid of unlimited width with a cursor. Takes printable text and what its methods say; every number may be anything. */
export class Rows {
  readonly #rows: Row[] = [{ text: "", cells: undefined }];
  #row = 0;
  #column = 0;
  /** Behind the row's last cell, whatever column that is. */
  #isAtEnd = true;
  /** The first row of what the program takes for the screen, once it has said so. */
  #pageTop: number | undefined;
  #saved = { row: 0, column: 0 };
  #work = 0;

  toString(): string {
    return this.#rows.map(textOf).join("\n");
  }

  write(text: string): void {
    const row = this.#current;
    if (this.#isAtEnd && row.cells === undefined) row.text += text;
    else for (const cluster of clustersOf(text)) this.#put(cluster);
  }

  newLine(): void {
    this.toColumn(0);
    this.lineFeed();
  }

  /** Down in the same column, to a new row if there is none. */
  lineFeed(): void {
    const column = this.#isAtEnd && isEmpty(this.#current) ? 0 : this.#settle();
    this.#row++;
    if (this.#row === this.#rows.length) this.#rows.push({ text: "", cells: undefined });
    this.#standAt(column);
  }

  /** From 0. */
  toColumn(column: number): void {
    this.#standAt(Math.min(column, MAX_COLUMN));
  }

  /** Right, or left if less than 0. */
  moveColumns(by: number): void {
    const from = this.#settle();
    if (by < 0) this.#standAt(Math.max(0, from + by));
    else if (from < MAX_COLUMN) this.toColumn(from + by);
  }

  /** Down, or up if less than 0; not past what there is. */
  moveRows(by: number): void {
    const column = this.#settle();
    const bottom = this.#rows.length - 1;
    this.#row = Math.max(this.#pageTop ?? 0, 0, Math.min(this.#row + by, bottom));
    this.#standAt(column);
  }

  /** To a place of the page, from 0; the first such move begins the page, below what there is. */
  toPlace(row: number, column: number): void {
    if (this.#pageTop === undefined) this.newPage();
    const target = (this.#pageTop ?? 0) + Math.max(0, Math.min(row, MAX_PAGE_ROW));
    const missing = target - this.#rows.length + 1;
    if (missing > 0 && !this.#afford(missing)) return;
    while (this.#rows.length <= target) this.#rows.push({ text: "", cells: undefined });
    this.#row = target;
    this.toColumn(column);
  }

  /** What is there stays above it. */
  newPage(): void {
    this.#row = this.#rows.length - 1;
    this.toColumn(0);
    if (!this.#isAtEnd) this.newLine();
    this.#pageTop = this.#row;
  }

  save(): void {
    this.#saved = { row: this.#row, column: this.#settle() };
  }

  restore(): void {
    this.#row = Math.min(this.#saved.row, this.#rows.length - 1);
    this.#standAt(this.#saved.column);
  }

  /** Of the cursor's row. */
  eraseRow(part: ErasedPart): void {
    const column = this.#settle();
    const cells = this.#cells();
    if (part === "after") this.#cut(cells, column);
    else if (part === "all") cells.length = 0;
    else this.#blank(cells, 0, column + 1);
    this.#isAtEnd = false;
  }

  /** The cursor's row and those below; those above stay, for they may be no part of the screen any more. */
  eraseBelow(): void {
    this.eraseRow("after");
    this.#rows.length = this.#row + 1;
  }

  eraseCells(count: number): void {
    const column = this.#settle();
    this.#blank(this.#cells(), column, column + count);
  }

  deleteCells(count: number): void {
    const column = this.#settle();
    const cells = this.#cells();
    if (!this.#afford(cells.length)) return;
    this.#halve(cells, column);
    this.#halve(cells, column + count);
    cells.splice(column, count);
  }

  insertCells(count: number): void {
    const column = this.#settle();
    const cells = this.#cells();
    if (column >= cells.length || !this.#afford(cells.length + MAX_COLUMN)) return;
    this.#halve(cells, column);
    const blanks = Array.from({ length: Math.min(count, MAX_COLUMN) }, () => " ");
    cells.splice(column, 0, ...blanks);
  }

  get #current(): Row {
    // The cursor is always on a row that is there.
    return this.#rows[this.#row] as Row;
  }

  #standAt(column: number): void {
    this.#column = column;
    this.#isAtEnd = column === 0 && isEmpty(this.#current);
  }

  /** The cursor's column as a number. */
  #settle(): number {
    if (!this.#isAtEnd) return this.#column;
    this.#column = isEmpty(this.#current) ? 0 : this.#cells().length;
    this.#isAtEnd = false;
    return this.#column;
  }

  #cells(): string[] {
    const row = this.#current;
    if (row.cells) return row.cells;
    const cells: string[] = [];
    row.cells = cells;
    for (const cluster of clustersOf(row.text)) {
      if (cluster === "\t") pushTab(cells);
      else pushCluster(cells, cluster);
    }
    row.text = "";
    return cells;
  }

  #put(cluster: string): void {
    let column = this.#settle();
    const cells = this.#cells();
    if (column > cells.length) {
      if (this.#afford(column - cells.length)) this.#pad(cells, column);
      else column = cells.length;
    }
    if (column === cells.length) {
      if (cluster === "\t") pushTab(cells);
      else pushCluster(cells, cluster);
      this.#column = cells.length;
    } else if (cluster === "\t") {
      this.#column = column + TAB_WIDTH - (column % TAB_WIDTH);
    } else this.#replace(cells, column, cluster);
  }

  #replace(cells: string[], column: number, cluster: string): void {
    const width = clusterWidth(cluster);
    if (width === 0) {
      joinTo(cells, column, cluster);
      return;
    }
    this.#halve(cells, column);
    this.#halve(cells, column + width);
    cells[column] = cluster;
    if (width === 2) cells[column + 1] = REST;
    this.#column = column + width;
  }

  /** A wide cluster that begins before a place and ends behind it becomes blanks. */
  #halve(cells: string[], at: number): void {
    if (at >= cells.length || cells[at] !== REST) return;
    let start = at;
    while (start > 0 && cells[start] === REST) start--;
    for (let next = start; next === start || cells[next] === REST; next++) cells[next] = " ";
  }

  #cut(cells: string[], column: number): void {
    if (column >= cells.length) return;
    this.#halve(cells, column);
    cells.length = column;
  }

  #blank(cells: string[], from: number, to: number): void {
    const end = Math.min(to, cells.length);
    if (end <= from || !this.#afford(end - from)) return;
    this.#halve(cells, from);
    this.#halve(cells, end);
    cells.fill(" ", from, end);
  }

  #pad(cells: string[], to: number): void {
    while (cells.length < to) cells.push(" ");
  }

  #afford(work: number): boolean {
    this.#work += work;
    return this.#work <= MAX_WORK;
  }
}

function pushCluster(cells: string[], cluster: string): void {
  const width = clusterWidth(cluster);
  if (width === 0 && cells.length > 0) joinTo(cells, cells.length, cluster);
  else cells.push(cluster);
  if (width === 2) cells.push(REST);
}

function pushTab(cells: string[]): void {
  cells.push("\t");
  while (cells.length % TAB_WIDTH > 0) cells.push(REST);
}

/** What takes no cell of its own belongs to the cluster before it. */
function joinTo(cells: string[], column: number, cluster: string): void {
  let at = column - 1;
  while (at > 0 && cells[at] === REST) at--;
  if (at >= 0) cells[at] += cluster;
}

function isEmpty({ text, cells }: Row): boolean {
  return text === "" && (cells === undefined || cells.length === 0);
}

/** Blanks at the end of what was written over are what is left of it. */
function textOf({ text, cells }: Row): string {
  if (cells === undefined) return text;
  let end = cells.length;
  while (end > 0 && cells[end - 1] === " ") end--;
  return cells.slice(0, end).join("");
}
