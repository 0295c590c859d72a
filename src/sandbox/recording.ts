import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { Worlds } from './worlds.ts'

/**
 * The variable in which `pet-sandbox exec` names the folder of recordings to the processes of its command. Each sandbox writes
 * a file there.
 */
export const RECORDINGS_VARIABLE = 'PET_SANDBOX_RECORDINGS'

/** The name of the file with a recording, in a folder of its own. */
export const RECORDING_FILE = 'exchanges.jsonl'

/** The first line of a recording. */
export interface RecordingHead {
  /** Changes with the format of the lines. */
  readonly format: 1
  /** The contract's title. */
  readonly title: string
  readonly process: number
}

/** Each further line of a recording. */
export interface RecordedLine {
  readonly world: string
  readonly exchange: Exchange
}

/**
 * Writes what a sandbox is asked to where `pet-sandbox exec` reads it, in Node, when `exec` asks for it by its variable. Each
 * exchange is written before its client gets the answer, since a test runner may end its workers at any time.
 */
export function recordForExec({ title }: Contract, worlds: Pick<Worlds, 'onExchange'>): void {
  const { process } = globalThis
  const folder = process?.env?.[RECORDINGS_VARIABLE]
  const files = folder ? process.getBuiltinModule?.('node:fs') : undefined
  if (!files) return
  let file: string | undefined
  const open = (): string => {
    // A folder of its own: a process may have several copies of this module, and so cannot count its sandboxes.
    // Its name tells the order of those whose times are the same: file systems count in milliseconds.
    const start = String(process.hrtime.bigint()).padStart(20, '0')
    const opened = `${files.mkdtempSync(`${folder}/sandbox-${start}-`)}/${RECORDING_FILE}`
    const head: RecordingHead = { format: 1, title, process: process.pid }
    files.appendFileSync(opened, toLine(head), { mode: 0o600 })
    return opened
  }
  const stop = worlds.onExchange((exchange, world) => {
    try {
      file ??= open()
      files.appendFileSync(file, toLine(lineOf(exchange, world)))
    } catch (error) {
      // The tests of the client must not fail for this.
      stop()
      process.emitWarning(`pet-sandbox exec cannot see what this sandbox is asked: ${error}`)
    }
  })
}

/** Without the body of the answer: no rule of a report looks at it. */
function lineOf(exchange: Exchange, world: string): RecordedLine {
  const { request, response } = exchange
  const { headers } = response
  return { world, exchange: { ...exchange, request, response: { headers, body: '' } } }
}

function toLine(value: RecordingHead | RecordedLine): string {
  return `${JSON.stringify(value)}\n`
}
