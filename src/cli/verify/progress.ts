import type { Progress } from '../../verify/options.ts'
import type { Output } from '../log.ts'

/** Tells how far a run is. */
interface ProgressLine {
  readonly tell: (progress: Progress) => void
  /** Leaves no trace on a terminal. */
  readonly end: () => void
}

const CLEAR = '\r\u001b[K'

/** One line that changes, on a terminal; elsewhere a line for each wait alone, so that a log shows why nothing happens. */
export function createProgress(output: Output): ProgressLine {
  if (!output.isTTY) {
    return {
      tell: (progress) => {
        if (progress.kind === 'wait') output.write(`pet-sandbox: ${waiting(progress)}\n`)
      },
      end: () => undefined,
    }
  }
  return {
    tell: (progress) => {
      const text =
        progress.kind === 'wait'
          ? waiting(progress)
          : `${progress.sent} of at most ${progress.budget} requests`
      output.write(`${CLEAR}${text}`)
    },
    end: () => output.write(CLEAR),
  }
}

function waiting({ milliseconds, why }: Extract<Progress, { kind: 'wait' }>): string {
  return `waits ${Math.ceil(milliseconds / 1000)} s: ${why}`
}
