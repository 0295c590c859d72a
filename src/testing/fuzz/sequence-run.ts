import { isDeepStrictEqual } from 'node:util'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import type { Step } from './any-sequence.ts'
import { PLACEHOLDER } from './any-target.ts'
import type { Api } from './api.ts'
import { findMismatches } from './compare-response.ts'
import type { FuzzConnection, FuzzResponse, FuzzWorld } from './connections.ts'
import { Model } from './model.ts'
import type { Id, ModelRecord } from './record.ts'
import { type FuzzRequest, toCurl } from './request.ts'

const START = Date.parse('2027-03-01T12:00:00Z')

/** Applies the same steps to a world and to the model. Throws an error with all steps at the first difference. */
export class SequenceRun {
  readonly world: FuzzWorld
  readonly #connection: FuzzConnection
  readonly #transcript: string[] = []
  readonly #outcomes: string[] = []
  #model: Model
  #initial: Model
  #saved: { readonly snapshot: Snapshot; readonly model: Model } | undefined

  private constructor(world: FuzzWorld, connection: FuzzConnection, model: Model) {
    this.world = world
    this.#connection = connection
    this.#model = model
    this.#initial = model.copy()
  }

  /** Executes a sequence in a new world. Returns the outcome of each request: the status, or the code of the error. */
  static async execute(
    api: Api,
    world: FuzzWorld,
    connection: FuzzConnection,
    steps: readonly Step[],
  ): Promise<readonly string[]> {
    await world.clock.set(START)
    const rows = await recordsOf(world, api)
    const run = new SequenceRun(world, connection, new Model(api, rows, START))
    for (const step of steps) await run.#execute(step)

    return run.#outcomes
  }

  async #execute(step: Step): Promise<void> {
    if (step.kind === 'request') {
      for (let time = 0; time < step.times; time += 1) await this.#send(step.request)
      return
    }
    this.#transcript.push(`# ${JSON.stringify(step)}`)
    await this.#change(step)
    await this.#compare([])
  }

  async #send(draft: FuzzRequest): Promise<void> {
    const request = this.#fillPlaceholders(draft)
    this.#transcript.push(toCurl(request, this.#connection.origin))
    const expected = this.#model.expect(request)
    const response = await this.#connection.send(request)
    const mismatches = findMismatches(this.#model, request, expected, response)
    if (expected.next !== undefined) this.#rememberCursor(response, expected.next)
    await this.#compare(mismatches, response)
    this.#outcomes.push(expected.code ?? String(expected.status))
  }

  async #change(step: Exclude<Step, { kind: 'request' }>): Promise<void> {
    const { clock } = this.world
    if (step.kind === 'advance') {
      await clock.advance(step.milliseconds)
      this.#model.time += step.milliseconds
    } else if (step.kind === 'set') {
      await clock.set(step.time)
      this.#model.time = step.time
    } else if (step.kind === 'save') {
      this.#saved = { snapshot: await this.world.snapshot(), model: this.#model.copy() }
    } else if (step.kind === 'restore' && this.#saved) {
      await this.world.restore(this.#saved.snapshot)
      this.#useModel(this.#saved.model)
    } else if (step.kind === 'reset') {
      await this.world.reset()
      await clock.set(START)
      this.#useModel(this.#initial)
    }
  }

  /** Cursors stay valid, because they contain an id and no state. */
  #useModel(model: Model): void {
    const { cursors } = this.#model
    this.#model = model.copy()
    for (const [cursor, id] of cursors) this.#model.cursors.set(cursor, id)
  }

  #rememberCursor({ headers }: FuzzResponse, last: Id): void {
    const [, cursor] = /[?&]cursor=([^&>]+)/.exec(headers.get('Link') ?? '') ?? []
    if (cursor !== undefined) this.#model.cursors.set(decodeURIComponent(cursor), last)
  }

  /** Replaces placeholders by existing ids and cursors, and normalizes the URL as a client does. */
  #fillPlaceholders(draft: FuzzRequest): FuzzRequest {
    const known = { id: [...this.#model.rows.keys()], cursor: [...this.#model.cursors.keys()] }
    const target = draft.target.replace(
      PLACEHOLDER,
      (_match, kind: 'id' | 'cursor', index: string) => {
        const list = known[kind]
        return list.length === 0 ? '1' : String(list[Number(index) % list.length])
      },
    )
    const { pathname, search } = new URL(
      this.#connection.origin + this.#model.api.basePath + target,
    )

    return { ...draft, target: pathname + search }
  }

  async #compare(mismatches: readonly string[], response?: FuzzResponse): Promise<void> {
    const { limits } = (await this.world.snapshot()).state
    const rows = await recordsOf(this.world, this.#model.api)
    const found = [...mismatches]
    if (!isDeepStrictEqual(rows, plain(sorted([...this.#model.rows.values()])))) {
      found.push(`the records are ${JSON.stringify(rows)}`)
    }
    if (!isDeepStrictEqual(Object.fromEntries(limits), this.#model.quota.counted)) {
      found.push(
        `the counts are ${JSON.stringify(limits)}, not ${JSON.stringify(this.#model.quota.counted)}`,
      )
    }
    if (found.length === 0) return
    const details = response
      ? `\n\nThe response was ${response.status}: ${response.body.slice(0, 500)}`
      : ''
    throw new Error(`${found.join('\n')}${details}\n\nSteps:\n${this.#transcript.join('\n')}`)
  }
}

async function recordsOf(world: FuzzWorld, { path }: Api): Promise<ModelRecord[]> {
  return plain(sorted(await world.collection(`/${path.slice(1)}`).list()))
}

function sorted(rows: readonly ModelRecord[]): ModelRecord[] {
  return rows.toSorted((one, other) =>
    Number(one.id) < Number(other.id) || String(one.id) < String(other.id) ? -1 : 1,
  )
}

function plain(rows: readonly ModelRecord[]): ModelRecord[] {
  return JSON.parse(JSON.stringify(rows))
}
