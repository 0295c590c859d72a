import type { Exchange } from '../../journal/exchange.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { OWN_WORLD } from '../../sandbox/worlds.ts'
import { toRecording } from '../report/read-sandbox.ts'

/** What a world was asked between two resets. */
interface Recording {
  readonly name: string
  readonly entries: ReportEntry[]
  last: number
}

/**
 * Keeps all that a sandbox is asked, in each of its worlds. Unlike journals it outlives resets and worlds: tests do both
 * between one another. What came after a reset is a recording of its own, as its quotas are new.
 */
export class Recorder {
  readonly #worlds = new Map<string, Recording[]>()
  readonly #sandbox: string | undefined

  /** `sandbox` tells it from other sandboxes; absent for the one of `exec` itself. */
  constructor(sandbox?: string) {
    this.#sandbox = sandbox
  }

  readonly listen = (exchange: Exchange, world: string): void => {
    const recordings = this.#worlds.get(world) ?? []
    this.#worlds.set(world, recordings)
    // A request that was under way during a reset still ends in the journal of before.
    let recording = recordings.findLast(({ last }) => last === exchange.id - 1)
    if (!recording) {
      const after = recordings.length === 0 ? '' : `, after reset ${recordings.length}`
      recording = { name: this.#nameOf(world) + after, entries: [], last: 0 }
      recordings.push(recording)
    }
    recording.last = exchange.id
    recording.entries.push(...toRecording(recording.name, [exchange]))
  }

  #nameOf(world: string): string {
    if (this.#sandbox === undefined) return world
    return world === OWN_WORLD ? this.#sandbox : `${this.#sandbox}, world ${world}`
  }

  get recordings(): readonly (readonly ReportEntry[])[] {
    return [...this.#worlds.values()].flat().map(({ entries }) => entries)
  }
}
