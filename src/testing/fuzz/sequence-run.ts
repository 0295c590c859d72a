import { isDeepStrictEqual } from 'node:util'
import type { World } from '../../index.ts'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import type { Step } from './any-sequence.ts'
import { SLOT } from './any-target.ts'
import type { Api } from './api.ts'
import { findMismatches } from './compare-response.ts'
import type { FuzzConnection, FuzzResponse } from './connections.ts'
import { Model } from './model.ts'
import type { Id, ModelRecord } from './record.ts'
import { type FuzzRequest, toCurl } from './request.ts'

const START = Date.parse('2027-03-01T12:00:00Z')

/** A world and what it should be, led through the same deeds. Throws an error with all of them at the first difference. */
export class SequenceRun {
  readonly world: World
  readonly #face: FuzzConnection
  readonly #transcript: string[] = []
  readonly #outcomes: string[] = []
  #model: Model
  #first: Model
  #saved: { readonly snapshot: Snapshot; readonly model: Model } | undefined

  private constructor(world: World, face: FuzzConnection, model: Model) {
    this.world = world
    this.#face = face
    this.#model = model
    this.#first = model.copy()
  }

  /** Tells a story to a world that nothing has been done to; gives the outcome of each request: a status, or an Error's code. */
  static async execute(
    api: Api,
    world: World,
    face: FuzzConnection,
    steps: readonly Step[],
  ): Promise<readonly string[]> {
    world.clock.set(START)
    const story = new SequenceRun(world, face, new Model(api, await recordsOf(world), START))
    for (const step of steps) await story.#take(step)

    return story.#outcomes
  }

  async #take(step: Step): Promise<void> {
    if (step.deed === 'ask') {
      for (let time = 0; time < step.times; time += 1) await this.#ask(step.request)
      return
    }
    this.#transcript.push(`# ${JSON.stringify(step)}`)
    await this.#steer(step)
    await this.#compare([])
  }

  async #ask(draft: FuzzRequest): Promise<void> {
    const request = this.#filled(draft)
    this.#transcript.push(toCurl(request, this.#face.origin))
    const expected = this.#model.ask(request)
    const answer = await this.#face.send(request)
    const faults = findMismatches(this.#model, request, expected, answer)
    if (expected.next !== undefined) this.#learn(answer, expected.next)
    await this.#compare(faults, answer)
    this.#outcomes.push(expected.code ?? String(expected.status))
  }

  async #steer(step: Exclude<Step, { deed: 'ask' }>): Promise<void> {
    const { clock } = this.world
    if (step.deed === 'advance') {
      clock.advance(step.milliseconds)
      this.#model.time += step.milliseconds
    } else if (step.deed === 'set') {
      clock.set(step.moment)
      this.#model.time = step.moment
    } else if (step.deed === 'save') {
      this.#saved = { snapshot: await this.world.snapshot(), model: this.#model.copy() }
    } else if (step.deed === 'restore' && this.#saved) {
      await this.world.restore(this.#saved.snapshot)
      this.#goTo(this.#saved.model)
    } else if (step.deed === 'reset') {
      this.world.reset()
      clock.set(START)
      this.#goTo(this.#first)
    }
  }

  /** Cursors stay good: they hold an id, and no state. */
  #goTo(model: Model): void {
    const { cursors } = this.#model
    this.#model = model.copy()
    for (const [cursor, id] of cursors) this.#model.cursors.set(cursor, id)
  }

  #learn({ headers }: FuzzResponse, last: Id): void {
    const [, cursor] = /[?&]cursor=([^&>]+)/.exec(headers.get('Link') ?? '') ?? []
    if (cursor !== undefined) this.#model.cursors.set(decodeURIComponent(cursor), last)
  }

  /** Slots become ids and cursors that there are, and the address is as a client normalises it. */
  #filled(draft: FuzzRequest): FuzzRequest {
    const known = { id: [...this.#model.rows.keys()], cursor: [...this.#model.cursors.keys()] }
    const target = draft.target.replace(SLOT, (_slot, kind: 'id' | 'cursor', at: string) => {
      const list = known[kind]
      return list.length === 0 ? '1' : String(list[Number(at) % list.length])
    })
    const { pathname, search } = new URL(this.#face.origin + this.#model.api.basePath + target)

    return { ...draft, target: pathname + search }
  }

  async #compare(faults: readonly string[], answer?: FuzzResponse): Promise<void> {
    const { limits } = (await this.world.snapshot()).state
    const rows = await recordsOf(this.world)
    const found = [...faults]
    if (!isDeepStrictEqual(rows, plain(sorted([...this.#model.rows.values()])))) {
      found.push(`the records are ${JSON.stringify(rows)}`)
    }
    if (!isDeepStrictEqual(Object.fromEntries(limits), this.#model.quota.counted)) {
      found.push(
        `the counts are ${JSON.stringify(limits)}, not ${JSON.stringify(this.#model.quota.counted)}`,
      )
    }
    if (found.length === 0) return
    const head = answer ? `\n\nIt was answered ${answer.status}: ${answer.body.slice(0, 500)}` : ''
    throw new Error(`${found.join('\n')}${head}\n\nAfter:\n${this.#transcript.join('\n')}`)
  }
}

async function recordsOf(world: World): Promise<ModelRecord[]> {
  const [name = ''] = world.collections
  return plain(sorted(await world.collection(name).list()))
}

function sorted(rows: readonly ModelRecord[]): ModelRecord[] {
  return rows.toSorted((one, other) =>
    Number(one.id) < Number(other.id) || String(one.id) < String(other.id) ? -1 : 1,
  )
}

function plain(rows: readonly ModelRecord[]): ModelRecord[] {
  return JSON.parse(JSON.stringify(rows))
}
