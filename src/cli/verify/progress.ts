import type { Progress } from '../../verify/options.ts'
import type { Output } from '../terminal.ts'

/** Shows the progress of a run. */
interface ProgressLine {
  readonly show: (progress: Progress) => void
  /** Removes the line from a terminal. */
  readonly end: () => void
}

const CLEAR = '\r\u001b[K'

/** On a terminal: one line that is updated. Elsewhere: a line for each wait, so that a log explains the pause. */
export function createProgress(output: Output): ProgressLine {
  if (!output.isTTY) {
    return {
      show: (progress) => {
        if (progress.kind === 'wait') output.write(`pet-sandbox: ${waiting(progress)}\n`)
      },
      end: () => undefined,
    }
  }
  return {
    show: (progress) => {
      const text =
        progress.kind === 'wait'
          ? waiting(progress)
          : `${progress.sent} of at most ${progress.budget} requests sent`
      output.write(`${CLEAR}${text}`)
    },
    end: () => output.write(CLEAR),
  }
}

function waiting({ milliseconds, why }: Extract<Progress, { kind: 'wait' }>): string {
  return `waiting ${Math.ceil(milliseconds / 1000)} s: ${why}`
}
