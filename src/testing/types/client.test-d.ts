import { describe, expectTypeOf, it } from 'vitest'
import {
  type ClientClock,
  type ClientJournal,
  createClient,
  type Pet,
  type SandboxClient,
  type ServiceTypes,
  type ToldExchange,
} from '../../client.ts'
import type { KeyName, PlanName, ScenarioName } from '../../generated/fixtures.ts'
import type { RecordCollection, Sandbox, World, WorldClock, WorldJournal } from '../../index.ts'

/** A member as a client has it: with the same parameters, and a promise of the same result. */
type Remote<Member> = [Member] extends [(...given: infer Given) => infer Result]
  ? (...given: Given) => Promise<Awaited<Result>>
  : () => Promise<Awaited<Member>>

type AllRemote<Whole> = { -readonly [Name in keyof Whole]: Remote<Whole[Name]> }

/** What a client has otherwise, or not at all. */
type Otherwise = {
  /** Known without asking. */
  name: 'otherwise'
  /** The whole document, as it was compiled; `health` tells its title, version and base path. */
  contract: 'absent'
  /** Whoever wants to ask the API sends it requests. */
  fetch: 'absent'
  /** It is for transports, which run beside the sandbox. */
  answer: 'absent'
  /** Their members are what is asked for; see below. */
  clock: 'otherwise'
  journal: 'otherwise'
  worlds: 'otherwise'
  /** Nothing is asked before something is done to the records, and that gives promises in process, too. */
  collection: 'otherwise'
  /** What it tells of is what crosses the wire: exchanges without what was sent and answered word for word. */
  onExchange: 'otherwise'
  /** It gives another client. */
  world: 'otherwise'
}

type Absent = {
  [Name in keyof Otherwise]: Otherwise[Name] extends 'absent' ? Name : never
}[keyof Otherwise]

describe('a client', () => {
  it('has every method of a sandbox, and every property as a method, with promises', () => {
    expectTypeOf<Omit<SandboxClient, keyof Otherwise | 'health'>>().toEqualTypeOf<
      AllRemote<Omit<Sandbox, keyof Otherwise>>
    >()
    expectTypeOf<ClientClock>().toEqualTypeOf<AllRemote<WorldClock>>()
    expectTypeOf<ClientJournal>().toEqualTypeOf<AllRemote<WorldJournal>>()
  })

  it('has nothing else but what is told here', () => {
    expectTypeOf<Exclude<keyof SandboxClient, 'health'>>().toEqualTypeOf<
      Exclude<keyof Sandbox, Absent>
    >()
  })

  it('has the worlds that there are, one of which it can be the client of', () => {
    type Worlds = Omit<Sandbox['worlds'], 'onDrop' | 'onExchange'>

    expectTypeOf<SandboxClient['worlds']>().toEqualTypeOf<AllRemote<Worlds>>()
    expectTypeOf<SandboxClient['world']>().parameters.toEqualTypeOf<Parameters<Sandbox['world']>>()
    expectTypeOf<SandboxClient['world']>().returns.toEqualTypeOf<Promise<SandboxClient>>()
  })

  it('has the very collections', () => {
    expectTypeOf<SandboxClient['collection']>().toEqualTypeOf<World['collection']>()
    expectTypeOf<SandboxClient['collection']>().returns.toEqualTypeOf<RecordCollection>()
  })

  it('tells exchanges as far as they cross the wire', () => {
    type Listener = Parameters<SandboxClient['onExchange']>[0]

    expectTypeOf<Listener>().parameter(0).toEqualTypeOf<ToldExchange>()
    expectTypeOf<keyof Parameters<Parameters<Sandbox['onExchange']>[0]>[0]>().toEqualTypeOf<
      keyof ToldExchange | 'request' | 'response'
    >()
  })
})

describe('createClient', () => {
  it('knows the names and records of the contract that ships', () => {
    const client = createClient('http://127.0.0.1:4010')
    void client.force('rate-limited', { operation: 'listPets' })
    // @ts-expect-error: it is `listPets`.
    void client.force('rate-limited', { operation: 'listPet' })
    void client.collection('pets').update(1, { status: 'sold' })
    // @ts-expect-error: it is `sold`.
    void client.collection('pets').update(1, { status: 'solt' })
    // @ts-expect-error: it is `pets`.
    client.collection('pet')
    // @ts-expect-error: it is `token`.
    createClient('http://127.0.0.1:4010', { tokens: 'sesame' })
  })

  it('completes the names of scenarios, plans and keys, and takes others', () => {
    const client = createClient('http://127.0.0.1:4010')

    expectTypeOf(client.play).parameter(0).toEqualTypeOf<ScenarioName | (string & {})>()
    expectTypeOf(client.setKey).parameters.toEqualTypeOf<
      [KeyName | (string & {}), PlanName | (string & {})]
    >()
    expectTypeOf(client.clock.advanceToReset).parameter(0).toEqualTypeOf<KeyName | (string & {})>()
    // @ts-expect-error: it is `61s`.
    void client.clock.advance('61x')
  })

  it('has types for the schemas of the document', () => {
    const client = createClient('http://127.0.0.1:4010')

    expectTypeOf(client.collection('pets').get).returns.toEqualTypeOf<Promise<Pet | undefined>>()
  })

  it('takes any name of another API', () => {
    const client = createClient<ServiceTypes>(new URL('http://127.0.0.1:4010'))

    expectTypeOf(client).toEqualTypeOf<SandboxClient>()
    expectTypeOf(client.collection('books')).toEqualTypeOf<RecordCollection>()
  })
})
