// What a session plugs into its tools. A tool made bare, `createReadTool(workspace)`, has none of it.

export interface ToolPlugs {
  /** Makes the folder for outputs that are too long to show, when the first one comes; a private temporary one if left out. */
  readonly spillFolder?: () => string;
}
