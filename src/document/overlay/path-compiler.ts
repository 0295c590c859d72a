import { type FilterFunction, JSONPathEnvironment, type JSONPathQuery } from 'json-p3'
import { runInTime, untimedLength } from '../schemas/time-limit.ts'
import { MAX_DEPTH } from '../text/nesting-depth.ts'

/** What the patterns of all overlays of a document may take together, and everything else that overlays do, in milliseconds. */
const PATTERN_LIMIT = 1000
const TOTAL_LIMIT = 10_000

/** Thrown when the time of the overlays of a document is spent. */
export class SlowPathError extends Error {
  override readonly name = 'SlowPath'
}

/** Compiles the JSONPaths of the overlays of one document, which share a limit of time. */
export interface PathCompiler {
  readonly compile: (path: string) => JSONPathQuery
  /** Calls a function that evaluates JSONPaths. Throws a `SlowPathError` when no time is left. */
  readonly inTime: <Result>(evaluate: () => Result) => Result
}

/** A document and its overlays may be written to be slow: JSONPath has patterns, and filters in filters. */
export function createPathCompiler(): PathCompiler {
  // A descendant segment, such as `$..get`, visits a document of any depth that is allowed.
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH + 1 })
  const takePatternTime = createTimer(PATTERN_LIMIT)
  for (const name of ['match', 'search']) {
    const original = environment.functionRegister.get(name)
    if (original) environment.functionRegister.set(name, withLimit(original, takePatternTime))
  }

  return { compile: (path) => environment.compile(path), inTime: createTimer(TOTAL_LIMIT) }
}

type TakeTime = <Result>(run: () => Result) => Result

function createTimer(limit: number): TakeTime {
  let left = limit
  return (run) => {
    const start = performance.now()
    const result = runInTime(() => ({ value: run() }), left)
    left -= performance.now() - start
    if (!result) throw new SlowPathError()
    return result.value
  }
}

/** `match` and `search` for texts. Nothing else matches a pattern (RFC 9535, section 2.4.6). */
function withLimit(original: FilterFunction, takeTime: TakeTime): FilterFunction {
  return {
    argTypes: original.argTypes,
    returnType: original.returnType,
    call: (text: unknown, pattern: unknown) => {
      if (typeof text !== 'string' || typeof pattern !== 'string') return false
      const isShort = text.length <= untimedLength({ pattern })
      return isShort ? original.call(text, pattern) : takeTime(() => original.call(text, pattern))
    },
  }
}
