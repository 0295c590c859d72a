import type { Diagnostic } from '../../document/diagnostic.ts'
import type { Diagnostics } from '../../document/diagnostics.ts'

/** How many mistakes of a document are logged while it is served. */
const MAX_LOGGED = 20

/** How long mistakes are collected, in milliseconds: locating them reads the whole document again. */
const BATCH_MS = 1000

/** Logs each mistake that is found from now on. After twenty, `command` is named, which lists the others. */
export function logNewMistakes(
  diagnostics: Diagnostics,
  command: string,
  log: (mistake: Diagnostic) => void,
): void {
  let next = diagnostics.count
  const last = next + MAX_LOGGED
  let timer: NodeJS.Timeout | undefined
  const logBatch = (): void => {
    timer = undefined
    const end = Math.min(diagnostics.count, last)
    for (const mistake of diagnostics.list(next, end)) log(mistake)
    next = end
    if (diagnostics.count > last) {
      next = Number.POSITIVE_INFINITY
      log({
        reason: 'further mistakes of the document are not logged',
        location: 'the document',
        help: `List them: ${command}`,
      })
    }
  }
  diagnostics.onFound(() => {
    if (timer === undefined && next < Number.POSITIVE_INFINITY)
      timer = setTimeout(logBatch, BATCH_MS).unref()
  })
}
