import type { Contract } from '../../contract/contract.ts'
import type { Exchange } from '../../journal/exchange.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { OWN_WORLD } from '../../sandbox/worlds.ts'
import { toRecording } from '../report/read-sandbox.ts'

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
