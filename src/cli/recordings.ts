import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { ReportEntry } from '../report/report-entry.ts'
import { RECORDING_FILE, type RecordedLine, type RecordingHead } from '../sandbox/recording.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import { UsageError } from '../validation/usage-error.ts'
import { type RecordedTraffic, toRecording } from './recorded-traffic.ts'

const NEWER = 'Install the same version of pet-sandbox for "exec" and the tests.'

/** A private temporary folder to which the sandboxes in the processes of a command write their requests. */
export class RecordingDirectory {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Creates the folder. Other users cannot read it. */
  static async open(): Promise<RecordingDirectory> {
    try {
      return new RecordingDirectory(await mkdtemp(join(tmpdir(), 'pet-sandbox-exec-')))
    } catch (cause) {
      throw new UsageError({
        code: 'no_temporary_folder',
        task: `create a temporary folder in ${tmpdir()}`,
        reason: String(cause),
        help: 'Set the environment variable TMPDIR to another folder.',
        cause,
      })
    }
  }

  /** The requests to the sandboxes of an API, found by its title: one recording for each sandbox. */
  async read(contract: Contract): Promise<RecordedTraffic> {
    const { title } = contract
    const files = await this.#files()
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
    const parsed = texts.filter((text) => text !== '').map(parseRecording)
    const own = parsed.filter(({ head }) => head?.title === title)
    const recordings = own.flatMap(({ head, lines }, at) =>
      toRecordings(`sandbox ${at + 1} in process ${head?.process}`, lines, contract),
    )

    return { recordings, notices: [...noticesOfOthers(parsed, title), ...noticesOfDamage(parsed)] }
  }

  /** In the order of the first requests. */
  async #files(): Promise<readonly string[]> {
    const folders = (await readdir(this.folder)).sort().map((name) => join(this.folder, name))
    const dated = await Promise.all(
      folders.map(async (folder) => ({ folder, changed: (await stat(folder)).mtimeMs })),
    )
    dated.sort((one, other) => one.changed - other.changed)
    return dated.map(({ folder }) => join(folder, RECORDING_FILE))
  }

  /** Removes the folder and its files. */
  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

interface Parsed {
  /** Absent for an unknown format. */
  readonly head?: RecordingHead
  readonly lines: readonly RecordedLine[]
  /** The number of lines that cannot be parsed. */
  readonly damaged: number
}

function parseRecording(text: string): Parsed {
  const [first = '', ...rest] = text.split('\n').filter((line) => line !== '')
  const head = parseLine(first, isHead)
  const lines = rest.map((line) => parseLine(line, isRecordedLine))
  const complete = lines.filter((line) => line !== undefined)

  return {
    ...(head && { head }),
    lines: head ? complete : [],
    damaged: lines.length - complete.length,
  }
}

/** The last line of a killed process may be incomplete. */
function parseLine<Line>(
  text: string,
  isLine: (value: unknown) => value is Line,
): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isLine(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isHead(value: unknown): value is RecordingHead {
  const { format, title } = Object(value)
  return format === 1 && typeof title === 'string'
}

function isRecordedLine(value: unknown): value is RecordedLine {
  const { world, exchange } = Object(value)
  const { id, time, request, response } = Object(exchange)
  return (
    typeof world === 'string' &&
    [id, time].every(Number.isFinite) &&
    [request, response].every((message) => Array.isArray(Object(message).headers))
  )
}

function toRecordings(
  name: string,
  lines: readonly RecordedLine[],
  contract: Contract,
): readonly (readonly ReportEntry[])[] {
  const recorder = new Recorder(contract, name)
  for (const { exchange, world } of lines) recorder.listen(exchange satisfies Exchange, world)
  return recorder.recordings
}

function noticesOfOthers(parsed: readonly Parsed[], title: string): readonly string[] {
  const others = parsed.filter(({ head }) => head && head.title !== title)
  const titles = [...new Set(others.map(({ head }) => head?.title))].join(', ')
  const count = others.reduce((sum, { lines }) => sum + lines.length, 0)
  if (count === 0) return []
  const requests = count === 1 ? '1 request was' : `${count} requests were`
  return [
    `${requests} sent to sandboxes of ${titles} and ignored. Name the document with --openapi.`,
  ]
}

function noticesOfDamage(parsed: readonly Parsed[]): readonly string[] {
  const damaged = parsed.reduce((sum, one) => sum + (one.head ? one.damaged : 0), 0)
  const unknown = parsed.filter(({ head }) => !head).length
  const lines = damaged === 1 ? '1 request is' : `${damaged} requests are`
  const files = unknown === 1 ? '1 sandbox' : `${unknown} sandboxes`

  return [
    ...(damaged > 0 ? [`${lines} ignored: a process ended while it recorded.`] : []),
    ...(unknown > 0 ? [`The recordings of ${files} cannot be read. ${NEWER}`] : []),
  ]
}

/** The requests of a world between two resets. */
interface Recording {
  readonly name: string
  readonly entries: ReportEntry[]
  last: number
}

/**
 * Records all requests to a sandbox, by world. Unlike a journal, a recording survives resets and deleted worlds, because tests
 * do both. Requests after a reset are a recording of their own, because quotas start again.
 */
export class Recorder {
  readonly #worlds = new Map<string, Recording[]>()
  readonly #contract: Contract
  readonly #sandbox: string | undefined

  /** `sandbox` is the name of the sandbox; absent for the sandbox of `exec` itself. */
  constructor(contract: Contract, sandbox?: string) {
    this.#contract = contract
    this.#sandbox = sandbox
  }

  readonly listen = (exchange: Exchange, world: string): void => {
    const recordings = this.#worlds.get(world) ?? []
    this.#worlds.set(world, recordings)
    // A request that was in progress during a reset belongs to the recording before the reset.
    let recording = recordings.findLast(({ last }) => last === exchange.id - 1)
    if (!recording) {
      const after = recordings.length === 0 ? '' : `, after reset ${recordings.length}`
      recording = { name: this.#nameOf(world) + after, entries: [], last: 0 }
      recordings.push(recording)
    }
    recording.last = exchange.id
    recording.entries.push(...toRecording(recording.name, [exchange], this.#contract))
  }

  #nameOf(world: string): string {
    if (this.#sandbox === undefined) return world
    return world === OWN_WORLD ? this.#sandbox : `${this.#sandbox}, world ${world}`
  }

  get recordings(): readonly (readonly ReportEntry[])[] {
    return [...this.#worlds.values()].flat().map(({ entries }) => entries)
  }
}
