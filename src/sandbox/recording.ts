import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { Worlds } from './worlds.ts'

/**
 * The environment variable by which `pet-sandbox exec` passes the folder of recordings to the processes of its command. Each
 * sandbox writes one file there.
 */
export const RECORDINGS_VARIABLE = 'PET_SANDBOX_RECORDINGS'

/** The name of the file with a recording. Each recording has a folder of its own. */
export const RECORDING_FILE = 'exchanges.jsonl'

/** The first line of a recording. */
export interface RecordingHead {
  /** The version of the format of the lines. */
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
 * Writes the exchanges of a sandbox to the folder from which `pet-sandbox exec` reads them, if its environment variable is set.
 * Each exchange is written before its client gets the response, because a test runner may end its workers at any time.
 */
export function recordForExec({ title }: Contract, worlds: Pick<Worlds, 'onExchange'>): void {
  const { process } = globalThis
  const folder = process?.env?.[RECORDINGS_VARIABLE]
  const files = folder ? process.getBuiltinModule?.('node:fs') : undefined
  if (!files) return
  let file: string | undefined
  const open = (): string => {
    // Each recording has a folder of its own: a process can have several copies of this module, so that no number is unique.
    // The name of the folder has the order of the sandboxes, because file systems may record only milliseconds.
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
      process.emitWarning(`pet-sandbox exec cannot record the requests to this sandbox: ${error}`)
    }
  })
}

/** Without the body of the response, which no rule of a report uses. */
function lineOf(exchange: Exchange, world: string): RecordedLine {
  const { request, response } = exchange
  const { headers } = response
  return { world, exchange: { ...exchange, request, response: { headers, body: '' } } }
}

function toLine(value: RecordingHead | RecordedLine): string {
  return `${JSON.stringify(value)}\n`
}
