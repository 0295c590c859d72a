/** How a document is read, and what it may refer to in addition to the files of its own folder. */
export interface LoadOptions {
  /** HTTP headers for a document that is named by its URL, and for the files of its origin. No other origin gets them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The path below which all operations are served, such as `/api`; `/` for the root. It replaces those of the servers. */
  readonly basePath?: string | undefined
  /** Files of OpenAPI overlays, which are applied to the document in this order. */
  readonly overlays?: readonly string[]
  /** Reads `$ref`s to `http:` and `https:` URLs; off by default. */
  readonly remoteRefs?: boolean
  /** Reads `$ref`s to files outside the document's folder; off by default. */
  readonly outsideRefs?: boolean
  /** Whether resources are inferred that no `x-sandbox` names. Default: as the document says, else `true`. */
  readonly inference?: boolean
  /** Throws a `UsageError` for every mistake of the document; off by default. */
  readonly strict?: boolean
  /** Called with the absolute path of each local file before it is read, to watch it. */
  readonly onRead?: (path: string) => void
}
