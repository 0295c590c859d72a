import { expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { petOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { createSandbox, type ShippedSandbox } from './sandbox.ts'

/** The number of actions in a run, and the number of runs. */
const ACTIONS = 150
const RUNS = 6

const NAMES = ['default', 'a', 'A', 'b', 'c', 'constructor'] as const
const START = Date.parse('2027-03-01T12:00:00Z')
const MINUTE = 60_000

/** The expected state of a world. */
interface Model {
  pets: Map<number, string>
  next: number
  time: number
  window: number
  used: number
  requests: number
  rules: number
}

function fresh(): Model {
  const pets = new Map([1, 2, 3].map((id) => [id, '']))
  return { pets, next: 4, time: START, window: 0, used: 0, requests: 0, rules: 0 }
}

function count(model: Model): void {
  const window = Math.floor(model.time / MINUTE)
  if (window !== model.window) Object.assign(model, { window, used: 0 })
  model.used += 1
  model.requests += 1
}

/** Applies the same random actions to a sandbox and to models of its worlds. */
class ModelRun {
  readonly sandbox: ShippedSandbox = createSandbox({ records: 3 })
  readonly models = new Map<string, Model>()
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.sandbox.clock.set(START)
    this.models.set('default', fresh())
  }

  async action(): Promise<void> {
    const name = this.#pick(NAMES)
    const usual = [this.#add, this.#add, this.#overHttp, this.#change, this.#remove, this.#wait]
    const rare = [this.#force, this.#fork, this.#fork, this.#delete, this.#reset, this.#restore]
    await this.#pick(this.#random.next() < 0.6 ? usual : rare).call(this, name)
  }

  /** The actual states of the worlds, by name. */
  async actual(): Promise<Map<string, Model>> {
    const states = new Map<string, Model>()
    for (const { name, requests } of this.sandbox.worlds.list()) {
      const world = this.sandbox.world(name)
      const { state } = await world.snapshot()
      const pets = (await world.collection('pets').list()).map(({ id, name: called }) => {
        return [id, called.startsWith('w ') ? called : ''] as const
      })
      const used = state.limits.find(([key]) => key === 'sk_sandbox_free')?.[1].minute
      states.set(name, {
        pets: new Map(pets),
        next: (state.records.pets?.ids ?? 0) + 1,
        time: world.clock.now(),
        window: used?.window ?? 0,
        used: used?.used ?? 0,
        requests,
        rules: world.forced().length,
      })
    }
    return states
  }

  #pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const found = list[Math.floor(this.#random.next() * list.length)]
    if (found === undefined) throw new TypeError('Nothing to pick from')
    return found
  }

  /** The model of a world. The first use creates the world. */
  #model(name: string): Model {
    const model = this.models.get(name) ?? fresh()
    if (!this.models.has(name)) this.sandbox.world(name).clock.set(START)
    this.models.set(name, model)
    return model
  }

  async #add(name: string): Promise<void> {
    const model = this.#model(name)
    const body = { name: `w ${name} ${model.next}`, categoryId: 1 }
    const response = await this.sandbox
      .world(name)
      .fetch(toRequest('POST', 'http://localhost/v1/pets', { body }))
    expect((await petOf(response)).id).toBe(model.next)
    count(model)
    model.pets.set(model.next, body.name)
    model.next += 1
  }

  async #overHttp(name: string): Promise<void> {
    const model = this.#model(name)
    const id = this.#pick([1, 2, 3, 4, 5, 6, 9])
    const address = `http://localhost/worlds/${name}/v1/pets/${id}`
    const { status } = await this.sandbox.fetch(toRequest('GET', address))
    count(model)
    expect(status).toBe(model.pets.has(id) ? 200 : 404)
  }

  async #change(name: string): Promise<void> {
    const model = this.#model(name)
    const id = this.#pick([...model.pets.keys(), 0])
    if (id === 0) return
    await this.sandbox
      .world(name)
      .collection('pets')
      .update(id, { name: `w changed in ${name}` })
    model.pets.set(id, `w changed in ${name}`)
  }

  async #remove(name: string): Promise<void> {
    const model = this.#model(name)
    const id = this.#pick([1, 2, 3, 4, 5, 6])
    const pets = this.sandbox.world(name).collection('pets')
    expect(await pets.remove(id)).toBe(model.pets.delete(id))
  }

  async #wait(name: string): Promise<void> {
    const model = this.#model(name)
    const by = this.#pick([1000, MINUTE, -MINUTE, 7_200_000])
    this.sandbox.world(name).clock.advance(by)
    model.time += by
  }

  async #force(name: string): Promise<void> {
    const model = this.#model(name)
    this.sandbox.world(name).force('timeout', { skip: 1_000_000 })
    model.rules += 1
  }

  async #fork(name: string): Promise<void> {
    const from = this.#pick([...this.models.keys()])
    const model = this.models.get(from)
    if (this.models.has(name) || !model) return
    this.sandbox.world(name, { from })
    this.models.set(name, { ...structuredClone(model), requests: 0 })
  }

  async #delete(name: string): Promise<void> {
    if (name === 'default') return
    expect(this.sandbox.worlds.delete(name)).toBe(this.models.delete(name))
  }

  async #reset(name: string): Promise<void> {
    this.#model(name)
    this.sandbox.world(name).reset()
    this.sandbox.world(name).clock.set(START)
    this.models.set(name, fresh())
  }

  async #restore(name: string): Promise<void> {
    const model = this.#model(name)
    await this.sandbox.world(name).restore(await this.sandbox.snapshot())
    // The journal stays.
    const { requests } = model
    Object.assign(model, structuredClone(this.models.get('default')), { requests })
  }
}

it.each(Array.from({ length: RUNS }, (_, seed) => seed))(
  'no change of a world affects another one (seed %d)',
  async (seed) => {
    const run = new ModelRun(seed)

    for (let action = 0; action < ACTIONS; action += 1) {
      await run.action()
      expect(await run.actual()).toEqual(run.models)
    }
    expect(run.models.size).toBeGreaterThan(2)
  },
)
