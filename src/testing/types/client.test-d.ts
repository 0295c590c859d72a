import { describe, expectTypeOf, it } from 'vitest'
import type { GivenKey } from '../../access/keys.ts'
import {
  type ClientClock,
  type ClientJournal,
  createClient,
  type Pet,
  type SandboxClient,
  type ServiceTypes,
  type ToldExchange,
} from '../../client.ts'
import type { ScenarioName } from '../../generated/fixtures.ts'
import type { KeyName, PlanName } from '../../generated/types.ts'
import type { RecordCollection, Sandbox, World, WorldClock, WorldJournal } from '../../index.ts'

/** A member of a client: the same parameters, and a promise of the same result. */
type Remote<Member> = [Member] extends [(...args: infer Args) => infer Result]
  ? (...args: Args) => Promise<Awaited<Result>>
  : () => Promise<Awaited<Member>>

type AllRemote<Type> = { -readonly [Name in keyof Type]: Remote<Type[Name]> }

/** The members that a client does not have, or has with another type. */
type Different = {
  /** Known without a request. */
  name: 'different'
  /** Too large; `health` returns its title, version and base path. */
  contract: 'absent'
  /** Clients send requests to the API directly. */
  fetch: 'absent'
  /** For transports only, which run in the process of the sandbox. */
  answer: 'absent'
  /** Functions cannot be sent. */
  use: 'absent'
  /** Their members are remote; see below. */
  clock: 'different'
  journal: 'different'
  events: 'different'
  signIn: 'different'
  worlds: 'different'
  /** Synchronous, because only its methods send requests. */
  collection: 'different'
  /** The exchanges have no request and response messages. */
  onExchange: 'different'
  /** Returns another client. */
  world: 'different'
}

type Absent = {
  [Name in keyof Different]: Different[Name] extends 'absent' ? Name : never
}[keyof Different]

/**
 * What a client has besides: what is served and how each operation is answered, because it has no `contract`, and the accounts,
 * which pages of people need.
 */
type Further =
  | 'health'
  | 'operations'
  | 'operation'
  | 'sampleRequest'
  | 'checkRequest'
  | 'accounts'
  | 'setRemaining'
  | 'liftBan'
  | 'collectionCounts'
  | 'collectionsTo'
  | 'describeCollection'
  | 'reportAs'

describe('a client', () => {
  it('has every method and property of a sandbox as a method that returns a promise', () => {
    expectTypeOf<Omit<SandboxClient, keyof Different | Further>>().toEqualTypeOf<
      AllRemote<Omit<Sandbox, keyof Different>>
    >()
    expectTypeOf<ClientClock>().toEqualTypeOf<AllRemote<WorldClock>>()
    // The archive of a client can have the deliveries of events, too.
    expectTypeOf<ClientJournal['toHar']>().toExtend<AllRemote<WorldJournal>['toHar']>()
    expectTypeOf<Omit<ClientJournal, 'get' | 'toHar'>>().toEqualTypeOf<
      AllRemote<Omit<WorldJournal, 'toHar'>>
    >()
  })

  it('has no other members', () => {
    expectTypeOf<Exclude<keyof SandboxClient, Further>>().toEqualTypeOf<
      Exclude<keyof Sandbox, Absent>
    >()
  })

  it('has the worlds of the sandbox, and returns clients of them', () => {
    type Worlds = Omit<Sandbox['worlds'], 'onDrop' | 'onExchange'>

    expectTypeOf<SandboxClient['worlds']>().toEqualTypeOf<AllRemote<Worlds>>()
    expectTypeOf<SandboxClient['world']>().parameters.toEqualTypeOf<Parameters<Sandbox['world']>>()
    expectTypeOf<SandboxClient['world']>().returns.toEqualTypeOf<Promise<SandboxClient>>()
  })

  it('has collections of the same type as a sandbox', () => {
    expectTypeOf<SandboxClient['collection']>().toEqualTypeOf<World['collection']>()
    expectTypeOf<SandboxClient['collection']>().returns.toEqualTypeOf<RecordCollection>()
  })

  it('sends exchanges without messages to listeners', () => {
    type Listener = Parameters<SandboxClient['onExchange']>[0]

    expectTypeOf<Listener>().parameter(0).toEqualTypeOf<ToldExchange>()
    expectTypeOf<keyof Parameters<Parameters<Sandbox['onExchange']>[0]>[0]>().toEqualTypeOf<
      keyof ToldExchange | 'request' | 'response'
    >()
  })
})

describe('createClient', () => {
  it('has types for the names and records of the shipped contract', () => {
    const client = createClient('http://127.0.0.1:4010')
    void client.force('rate-limited', { operation: 'listPets' })
    // @ts-expect-error: the name is `listPets`.
    void client.force('rate-limited', { operation: 'listPet' })
    void client.collection('pets').update(1, { status: 'sold' })
    // @ts-expect-error: the name is `sold`.
    void client.collection('pets').update(1, { status: 'solt' })
    // @ts-expect-error: the name is `pets`.
    client.collection('pet')
    // @ts-expect-error: the name is `token`.
    createClient('http://127.0.0.1:4010', { tokens: 'sesame' })
  })

  it('suggests the names of scenarios, plans and keys, and accepts other names', () => {
    const client = createClient('http://127.0.0.1:4010')

    expectTypeOf(client.play).parameter(0).toEqualTypeOf<ScenarioName | (string & {})>()
    expectTypeOf(client.setKey).parameters.toEqualTypeOf<
      [KeyName | (string & {}), GivenKey<PlanName | (string & {})>]
    >()
    expectTypeOf(client.clock.advanceToReset).parameter(0).toEqualTypeOf<KeyName | (string & {})>()
    // @ts-expect-error: the name is `61s`.
    void client.clock.advance('61x')
  })

  it('has types for the schemas of the document', () => {
    const client = createClient('http://127.0.0.1:4010')

    expectTypeOf(client.collection('pets').get).returns.toEqualTypeOf<Promise<Pet | undefined>>()
  })

  it('accepts any name for another API', () => {
    const client = createClient<ServiceTypes>(new URL('http://127.0.0.1:4010'))

    expectTypeOf(client).toEqualTypeOf<SandboxClient>()
    expectTypeOf(client.collection('books')).toEqualTypeOf<RecordCollection>()
  })
})
