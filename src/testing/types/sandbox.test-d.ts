import type { RequestHandler } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { GivenKey } from '../../access/keys.ts'
import { toExpress } from '../../express.ts'
import type { ScenarioName } from '../../generated/fixtures.ts'
import type { KeyName, PlanName } from '../../generated/types.ts'
import {
  type Contract,
  createSandbox,
  type Duration,
  type ErrorBody,
  type Exchange,
  type ForceRule,
  type NewPet,
  type Outcome,
  type Pet,
  type PetStatus,
  type Pets,
  type RecordCollection,
  type Sandbox,
  type SandboxOptions,
  type ServiceTypes,
  type ShippedSandbox,
  type UsageError,
  type World,
  type WorldClock,
  type WorldReportOptions,
} from '../../index.ts'
import { loadContract } from '../../load.ts'
import { sandbox, toHandlers } from '../../msw.ts'
import type { BehavedOptions } from '../../vitest.ts'

describe('createSandbox', () => {
  it('requires no options', () => {
    expectTypeOf(createSandbox).toBeCallableWith()
    expectTypeOf(createSandbox).toBeCallableWith({})
    expectTypeOf(createSandbox()).toEqualTypeOf<ShippedSandbox>()
    expectTypeOf(createSandbox({ seed: 2 })).toEqualTypeOf<ShippedSandbox>()
  })

  it('accepts every option, with partial values', () => {
    expectTypeOf({
      seed: 1,
      records: 50,
      plans: { free: { minute: 5 }, tiny: { minute: 1, day: 2 } },
      keys: { mine: 'tiny' },
      ban: { seconds: 5 },
      quota: false,
      auth: false,
      latency: '200ms' as const,
      bodyLimit: 1000,
      validation: 'warn' as const,
      unknownIds: 'create' as const,
      journal: 10,
      persist: 'session' as const,
    }).toExtend<SandboxOptions>()
    expectTypeOf<{ ban: false }>().toExtend<SandboxOptions>()
    expectTypeOf<keyof SandboxOptions>().toEqualTypeOf<
      | 'contract'
      | 'deliver'
      | 'events'
      | 'seed'
      | 'records'
      | 'plans'
      | 'keys'
      | 'ban'
      | 'bodyLimit'
      | 'validation'
      | 'unknownIds'
      | 'quota'
      | 'auth'
      | 'latency'
      | 'journal'
      | 'locale'
      | 'persist'
      | 'scenario'
      | 'scenarios'
      | 'signIn'
      | 'handlers'
      | 'onHandlerMistake'
      | 'worlds'
    >()
  })

  it('accepts records of the contract or a number', () => {
    const records = { pets: [{ name: 'Rex', categoryId: 1 }] }
    expectTypeOf(createSandbox({ records })).toEqualTypeOf<ShippedSandbox>()
    createSandbox({ records: { pets: [{ id: 7, name: 'Rex', categoryId: 1, status: 'sold' }] } })
    // @ts-expect-error: the name or value is `pets`.
    createSandbox({ records: { pet: [] } })
    // @ts-expect-error: the category is missing.
    createSandbox({ records: { pets: [{ name: 'Rex' }] } })
    // @ts-expect-error: the name or value is `sold`.
    createSandbox({ records: { pets: [{ name: 'Rex', categoryId: 1, status: 'solt' }] } })
    // @ts-expect-error: must be a number or records.
    createSandbox({ records: '50' })
  })

  it('rejects options with another name or type', () => {
    // @ts-expect-error: the name or value is `records`.
    createSandbox({ record: 5 })
    // @ts-expect-error: must be a number.
    createSandbox({ seed: '1' })
    // @ts-expect-error: only `false` is allowed, because bans are on by default.
    createSandbox({ ban: true })
    // @ts-expect-error: the name or value is `minute`.
    createSandbox({ plans: { free: { minutes: 5 } } })
  })
})

describe('plans and keys', () => {
  it('can be new', () => {
    createSandbox({ plans: { gold: { minute: 9, day: 99 } }, keys: { mine: 'gold', other: 'pro' } })
    createSandbox({ keys: { sk_sandbox_free: 'enterprise' } })
  })

  it('can be any string, with suggestions for known plans', () => {
    const plan: string = 'pro'
    const keys = JSON.parse('{}') as Record<string, string>

    createSandbox({ keys: { mine: plan, sk_sandbox_free: plan } })
    createSandbox({ keys })
    createSandbox({ plans: { gold: { minute: 9, day: 99 } }, keys: { mine: plan } })
    expectTypeOf<NonNullable<SandboxOptions<ServiceTypes, 'gold'>['keys']>[string]>().toEqualTypeOf<
      GivenKey<PlanName | 'gold' | (string & {})>
    >()
    createSandbox({ keys: { mine: { plan: 'pro', user: 7 }, other: { user: 'ada' } } })
    // @ts-expect-error: the name of a plan must be a string.
    createSandbox({ keys: { mine: 5 } })
  })

  it('can be records with any keys', () => {
    const plans: Record<string, { minute: number; day: number }> = {}
    const keys: Record<string, string> = {}

    expectTypeOf(createSandbox({ plans, keys })).toEqualTypeOf<ShippedSandbox>()
  })
})

describe('a sandbox of the shipped contract', () => {
  const sandbox = createSandbox()
  const pets = sandbox.collection('pets')

  it('has types for its records', () => {
    expectTypeOf(pets.get).returns.toEqualTypeOf<Promise<Pet | undefined>>()
    expectTypeOf(pets.list).returns.toEqualTypeOf<Promise<Pet[]>>()
    expectTypeOf(pets.get).parameter(0).toEqualTypeOf<number>()
  })

  it('accepts records of the contract', () => {
    expectTypeOf(pets.create).toBeCallableWith({ name: 'Rex', categoryId: 1 })
    expectTypeOf(pets.create).toBeCallableWith({
      id: 7,
      name: 'Rex',
      categoryId: 1,
      status: 'sold',
    })
    expectTypeOf(pets.update).toBeCallableWith(1, { status: 'pending' })
    expectTypeOf(pets.list).toBeCallableWith({ where: { status: ['sold', 'pending'] }, limit: 5 })
    // @ts-expect-error: the category is missing.
    void pets.create({ name: 'Rex' })
    // @ts-expect-error: must be a number.
    void pets.create({ name: 'Rex', categoryId: 'dog' })
    // @ts-expect-error: the name or value is `sold`.
    void pets.update(1, { status: 'solt' })
    // @ts-expect-error: the name or value is `status`.
    void pets.list({ where: { state: 'sold' } })
  })

  it('exports types for the schemas of its document', () => {
    expectTypeOf<Pet>().toEqualTypeOf<{
      id: number
      name: string
      categoryId: number
      status?: 'available' | 'pending' | 'sold'
    }>()
    expectTypeOf<NewPet>().toEqualTypeOf<Omit<Pet, 'id'>>()
    expectTypeOf<Pets>().toEqualTypeOf<Pet[]>()
    expectTypeOf<PetStatus>().toEqualTypeOf<NonNullable<Pet['status']>>()
    expectTypeOf<ErrorBody>().toEqualTypeOf<{ code: string; message: string; status: number }>()
    expectTypeOf<NewPet>().toExtend<Parameters<typeof pets.create>[0]>()
  })

  it('suggests the names of plans and keys, and accepts other names', () => {
    type Plan = PlanName | (string & {})
    type Key = KeyName | (string & {})

    expectTypeOf(sandbox.setPlan).parameter(0).toEqualTypeOf<Plan>()
    expectTypeOf(sandbox.setKey).parameters.toEqualTypeOf<[Key, GivenKey<Plan>]>()
    expectTypeOf(sandbox.removeKey).parameter(0).toEqualTypeOf<Key>()
    expectTypeOf(sandbox.clock.advanceToReset).parameter(0).toEqualTypeOf<Key>()
    expectTypeOf(sandbox.clock.advanceToBanEnd).parameter(0).toEqualTypeOf<Key>()
    expectTypeOf(sandbox.force)
      .parameter(1)
      .toEqualTypeOf<ForceRule<'listPets' | 'createPet' | 'getPet', Key> | undefined>()
    // @ts-expect-error: the name or value is `getPet`.
    sandbox.clock.advanceToRemoval('getPets')
  })

  it('accepts the scenarios of the service and of the options only', () => {
    const mine = { description: 'mine' }
    const own = createSandbox({ scenarios: { mine }, scenario: 'mine' })
    const loaded: NonNullable<SandboxOptions['scenarios']> = {}

    expectTypeOf(sandbox.play).parameter(0).toEqualTypeOf<ScenarioName>()
    expectTypeOf(sandbox.world('one').play).parameter(0).toEqualTypeOf<ScenarioName>()
    expectTypeOf(own.play).parameter(0).toEqualTypeOf<ScenarioName | 'mine'>()
    expectTypeOf(own.world('one').play).parameter(0).toEqualTypeOf<ScenarioName | 'mine'>()
    expectTypeOf(own).toExtend<Sandbox>()
    expectTypeOf<SandboxOptions['scenario']>().toEqualTypeOf<string | undefined>()
    createSandbox({ scenario: 'slow' })
    void createSandbox({ scenarios: loaded, scenario: 'any of them' }).play('any of them')
    // @ts-expect-error: the name is `slow`.
    createSandbox({ scenario: 'slwo' })
    // @ts-expect-error: the name is `mine`.
    createSandbox({ scenarios: { mine }, scenario: 'mien' })
    // @ts-expect-error: the name is `slow`.
    void sandbox.play('slwo')
  })

  it('rejects unknown names', () => {
    sandbox.force('rate-limited', { operation: 'listPets', times: 2 })
    // @ts-expect-error: the name or value is `listPets`.
    sandbox.force('rate-limited', { operation: 'listPet' })
    // @ts-expect-error: the name or value is `rate-limited`.
    sandbox.force('rate-limit')
    // @ts-expect-error: the name or value is `times`.
    sandbox.force('banned', { time: 2 })
    // @ts-expect-error: the name or value is `pets`.
    sandbox.collection('pet')
  })

  it('is a sandbox', () => {
    expectTypeOf<ShippedSandbox>().toExtend<Sandbox>()
  })
})

describe('durations', () => {
  it('are numbers or strings with units', () => {
    const { clock } = createSandbox()
    clock.advance('61s')
    clock.advance('-1h30m')
    clock.advance('1d2h3m')
    clock.advance('PT61S')
    clock.advance(500)
    clock.advance(`${2 * 30}s`)
    createSandbox({ latency: '100ms..2s' })
    const pause: Duration = '5m'
    clock.advance(pause)
    const text: string = '5m'
    // @ts-expect-error: the type must be `Duration`.
    clock.advance(text)
    // @ts-expect-error: the name or value is `61s`.
    clock.advance('61x')
    // @ts-expect-error: not a duration.
    clock.advance('soon')
    // @ts-expect-error: the name or value is `100ms..2s`.
    createSandbox({ latency: '100ms to 2s' })
  })
})

describe('a report', () => {
  it('accepts the names of rules and of groups of rules', () => {
    type Name =
      | ('early-retry' | 'during-ban' | 'no-back-off' | 'no-jitter' | 'retry-storm')
      | (
          | 'repeated-invalid'
          | 'unknown-operation'
          | 'unauthorized'
          | 'deprecated'
          | 'unknown-parameter'
        )
      | (
          | 'dropped-property'
          | 'invalid-input'
          | 'page-twice'
          | ('secret-in-url' | 'code-reused' | 'refresh-token-reused')
          | ('no-pkce' | 'token-after-end' | 'unused-scopes')
          | 'secret-in-url'
          | 'code-reused'
          | 'refresh-token-reused'
          | 'no-pkce'
          | 'token-after-end'
          | 'unused-scopes'
          | 'repeated-at-once'
          | 'never-authorized'
          | 'errors'
          | 'warnings'
          | 'all'
          | 'none'
        )
      | ('event-not-accepted' | 'accepted-forged' | 'accepted-old')
      | ('confused-by-duplicate' | 'event-loop')
    type Names = readonly Name[] | undefined

    expectTypeOf<BehavedOptions['ignore']>().toEqualTypeOf<Names>()
    expectTypeOf<BehavedOptions['only']>().toEqualTypeOf<Names>()
    expectTypeOf<WorldReportOptions['failOn']>().toEqualTypeOf<Names>()
    // @ts-expect-error: the name or value is `early-retry`.
    expect(createSandbox()).toHaveBehaved({ ignore: ['early-retri'] })
    // @ts-expect-error: the name or value is `warnings`.
    void createSandbox().report({ failOn: ['warning'] })
  })
})

describe('a sandbox of another document', () => {
  it('accepts any name and returns any record', async () => {
    const contract = await loadContract('books.yaml')
    const records = { books: [{ title: 'Dune' }] }
    const sandbox = createSandbox({ contract, keys: { mine: 'pro' }, records })

    expectTypeOf(sandbox).toEqualTypeOf<Sandbox>()
    sandbox.force('banned', { operation: 'listBooks' })
    expectTypeOf(sandbox.collection('books')).toEqualTypeOf<RecordCollection>()
    expectTypeOf(sandbox.collection('books').get).parameter(0).toEqualTypeOf<number | string>()
  })
})

describe('a sandbox', () => {
  it('has no members that only transports need', () => {
    type ForTransports = 'resolveMount' | 'notFoundOutsideApi' | 'rejectUnparsed'

    expectTypeOf<Extract<keyof Sandbox, ForTransports>>().toEqualTypeOf<never>()
  })

  it('is a Fetch handler', () => {
    expectTypeOf<Sandbox['fetch']>().toEqualTypeOf<(request: Request) => Promise<Response>>()
  })

  it('forces outcomes by name', () => {
    expectTypeOf<Outcome>().toEqualTypeOf<
      | 'unauthorized'
      | 'not-found'
      | 'bad-request'
      | 'rate-limited'
      | 'day-exhausted'
      | 'banned'
      | 'removed'
      | 'server-error'
      | 'unavailable'
      | 'timeout'
      | 'reset'
      | 'malformed'
      | 'truncated'
      | 'access-denied'
      | 'invalid-grant'
      | 'temporarily-unavailable'
      | 'expired-token'
      | 'wrong-state'
      | 'rotated-keys'
      | 'clock-skew'
      | 'slow'
    >()
    expectTypeOf<Sandbox['force']>().parameter(0).toEqualTypeOf<Outcome | ForceRule>()
    expectTypeOf<Sandbox['force']>().parameter(1).toEqualTypeOf<ForceRule | undefined>()
  })

  it('has read-only members', () => {
    expectTypeOf<Sandbox['journal']['exchanges']>().toEqualTypeOf<readonly Exchange[]>()
    expectTypeOf<Sandbox['clock']>().toEqualTypeOf<WorldClock>()
    expectTypeOf<Sandbox['collection']>().returns.toEqualTypeOf<RecordCollection>()
    // @ts-expect-error: read-only.
    createSandbox().contract = createSandbox().contract
  })
})

describe('the other entry points', () => {
  it('are compatible with Express', () => {
    expectTypeOf(toExpress).returns.toExtend<RequestHandler>()
  })

  it('accept every sandbox', () => {
    expectTypeOf(toExpress).toBeCallableWith(createSandbox())
    expectTypeOf(toHandlers).toBeCallableWith(createSandbox())
    expectTypeOf(sandbox).toEqualTypeOf<ShippedSandbox>()
  })

  it('have the types of the sandbox', () => {
    expectTypeOf(toExpress).parameter(0).toEqualTypeOf<World>()
    expectTypeOf(loadContract).returns.toEqualTypeOf<Promise<Contract>>()
    expectTypeOf<UsageError>().toExtend<Error>()
    expectTypeOf<UsageError['code']>().toExtend<string>()
    expectTypeOf<UsageError['reason']>().toEqualTypeOf<string>()
  })
})

/** As `pet-sandbox compile` declares it. */
interface Service {
  operation: 'listBooks' | 'getBook'
  collections: {
    books: { id: number; record: { id: number; title: string }; created: { title: string } }
  }
}

declare const compiled: Contract<Service>

describe('the sandbox of a compiled contract', () => {
  it('completes the names of its operations and collections', () => {
    const library = () => createSandbox({ contract: compiled })

    expectTypeOf<ReturnType<typeof library>>().toEqualTypeOf<Sandbox<Service>>()
    expectTypeOf<Parameters<Sandbox<Service>['collection']>[0]>().toEqualTypeOf<'books'>()
    expectTypeOf<{ operation: 'listBooks' }>().toExtend<ForceRule<Service['operation']>>()
    expectTypeOf<{ operation: 'listPets' }>().not.toExtend<ForceRule<Service['operation']>>()
  })
})
