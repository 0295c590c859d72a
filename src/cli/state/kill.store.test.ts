import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Random } from '../../generate/random.ts'

/** `npm run test:kill` uses 200. */
const KILLS = Number(process.env.PET_SANDBOX_KILLS ?? 20)
/** After this number of kills, the test starts with a new file, which limits the size of the state. */
const KILLS_PER_FILE = 10
/** A server is killed after at most about this number of acknowledged creations. */
const MAX_CREATIONS = 60
/** The number of concurrent clients. Each sends one request at a time. */
const CLIENTS = 12
const BIN = fileURLToPath(new URL('../../../bin/pet-sandbox.js', import.meta.url))

interface Animal {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string
}

/** The acknowledged animals by world and id. */
type Acknowledged = ReadonlyMap<string, Map<number, Animal>>

const WORLDS = ['default', 'other'] as const
const running = new Set<ChildProcess>()
let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = join(folder, 'state.json')
})

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

function launch(): ChildProcess {
  const args = ['--state', file, '--port', '0', '--log', 'json', '--no-quota', '--no-auth']
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  return child
}

/** The origin when the server listens; `undefined` when it ends before. */
function originOf(child: ChildProcess): Promise<string | undefined> {
  let output = ''
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      output = (output + String(chunk)).slice(0, 5000)
      const origin = /"listening":"(http:\/\/[^/]+)/.exec(output)?.[1]
      if (origin !== undefined) resolve(origin)
    })
    child.on('exit', () => resolve(undefined))
  })
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  running.delete(child)
}

/** The body of a complete 201; `undefined` for another response or none. */
function post(address: string, agent: Agent, body: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = request(address, { method: 'POST', agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', () => resolve(undefined))
      answer.on('end', () => {
        resolve(answer.statusCode === 201 ? Buffer.concat(chunks).toString() : undefined)
      })
    })
    sent.on('error', () => resolve(undefined)).end(body)
  })
}

/** Creates animals until the server is gone. */
async function create(origin: string, acknowledged: Acknowledged, round: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const client = async (number: number): Promise<void> => {
    const world = WORLDS[number % 3 === 0 ? 1 : 0]
    const place = world === 'default' ? '' : `/worlds/${world}`
    for (let count = 0; ; count += 1) {
      const animal = { name: `${round}-${number}-${count}`, categoryId: 1 + (count % 7) }
      const text = await post(`${origin}${place}/v1/pets`, agent, JSON.stringify(animal))
      if (text === undefined) return
      const created: Animal = JSON.parse(text)
      const { id } = created
      const known = acknowledged.get(world)
      expect(known?.has(id), `the id ${id} was given twice`).toBe(false)
      expect(created).toEqual({ id, ...animal, status: 'available' })
      known?.set(id, created)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  agent.destroy()
}

/** The animals in the file by world. Throws for incomplete JSON. */
async function savedAnimals(): Promise<ReadonlyMap<string, readonly Animal[]>> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return new Map()
  const { state, worlds = {} } = JSON.parse(text)
  return new Map([
    ['default', state.records.pets.rows],
    ['other', worlds.other?.records.pets.rows ?? []],
  ])
}

function expectSaved(animals: ReadonlyMap<string, readonly Animal[]>, acknowledged: Acknowledged) {
  for (const [world, created] of acknowledged) {
    const there = new Map(animals.get(world)?.map((animal) => [animal.id, animal]))
    const lost = [...created.values()].filter(({ id, name }) => there.get(id)?.name !== name)
    expect(lost, `lost in the world ${world}`).toEqual([])
    const some = [...created.keys()].slice(-50)
    expect(some.map((id) => there.get(id))).toEqual(some.map((id) => created.get(id)))
  }
}

/** Expects the API to serve the last acknowledged animal of each world. */
async function expectServed(origin: string, acknowledged: Acknowledged): Promise<void> {
  for (const [world, created] of acknowledged) {
    const last = [...created.values()].at(-1)
    if (!last) continue
    const place = world === 'default' ? '' : `/worlds/${world}`
    const response = await fetch(`${origin}${place}/v1/pets/${last.id}`)
    expect(await response.json()).toEqual(last)
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await setTimeout(1)
}

function emptyWorlds(): Acknowledged {
  return new Map(WORLDS.map((world) => [world, new Map()]))
}

test(
  `an acknowledged creation survives each of ${KILLS} kills`,
  async () => {
    const random = new Random(20261121)
    let acknowledged = emptyWorlds()
    let total = 0
    for (let round = 0; round < KILLS; round += 1) {
      if (round % KILLS_PER_FILE === 0) {
        acknowledged = emptyWorlds()
        await rm(file, { force: true })
      }
      const child = launch()
      if (random.next() < 0.15) {
        // The kill happens during the start, while the file is read or first written.
        await setTimeout(random.next() * 400)
        await kill(child)
      } else {
        const origin = await originOf(child)
        if (origin === undefined)
          throw new Error('The server does not start with the file of the killed server')
        await expectServed(origin, acknowledged)
        // A number instead of a duration, because a loaded machine creates few animals.
        const enough = count(acknowledged) + Math.floor(random.next() * MAX_CREATIONS)
        const creating = create(origin, acknowledged, round)
        await Promise.race([creating, until(() => count(acknowledged) >= enough)])
        await setTimeout(random.next() * 10)
        await kill(child)
        await creating
      }
      expectSaved(await savedAnimals(), acknowledged)
      if (round % KILLS_PER_FILE === KILLS_PER_FILE - 1 || round === KILLS - 1)
        total += count(acknowledged)
    }
    // With fewer creations, the test would prove nothing.
    expect(total).toBeGreaterThan(KILLS * 10)
  },
  60_000 + KILLS * 5000,
)

function count(acknowledged: Acknowledged): number {
  return [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0)
}
