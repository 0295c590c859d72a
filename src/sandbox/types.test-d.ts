import { describe, expectTypeOf, it } from 'vitest'
import { toExpress } from '../express.ts'
import {
  type Clock,
  type Contract,
  createSandbox,
  type Exchange,
  type ForceRule,
  type Outcome,
  type RecordCollection,
  type Sandbox,
  type SandboxOptions,
  type UsageError,
} from '../index.ts'
import { loadContract } from '../load.ts'

describe('createSandbox', () => {
  it('needs no options', () => {
    expectTypeOf(createSandbox).toBeCallableWith()
    expectTypeOf(createSandbox).toBeCallableWith({})
    expectTypeOf(createSandbox).returns.toEqualTypeOf<Sandbox>()
  })

  it('takes every option, in part', () => {
    expectTypeOf({
      seed: 1,
      records: 50,
      plans: { free: { minute: 5 }, tiny: { minute: 1, day: 2 } },
      keys: { mine: 'tiny' },
      ban: { seconds: 5 },
      quota: false,
      auth: false,
      latency: '200ms',
      journal: 10,
      persist: 'session' as const,
    }).toExtend<SandboxOptions>()
    expectTypeOf<{ ban: false }>().toExtend<SandboxOptions>()
    expectTypeOf<keyof SandboxOptions>().toEqualTypeOf<
      | 'contract'
      | 'seed'
      | 'records'
      | 'plans'
      | 'keys'
      | 'ban'
      | 'quota'
      | 'auth'
      | 'latency'
      | 'journal'
      | 'persist'
    >()
  })

  it('takes no option of another name or type', () => {
    // @ts-expect-error: it is `records`.
    createSandbox({ record: 5 })
    // @ts-expect-error: it is a number.
    createSandbox({ seed: '1' })
    // @ts-expect-error: bans are switched off by `false` and are on without a word.
    createSandbox({ ban: true })
    // @ts-expect-error: it is `minute`.
    createSandbox({ plans: { free: { minutes: 5 } } })
  })
})

describe('a sandbox', () => {
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
      | 'reset'
    >()
    expectTypeOf<Sandbox['force']>().parameter(0).toEqualTypeOf<Outcome>()
    expectTypeOf<Sandbox['force']>().parameter(1).toEqualTypeOf<ForceRule | undefined>()
  })

  it('gives away nothing that can be changed', () => {
    expectTypeOf<Sandbox['journal']['exchanges']>().toEqualTypeOf<readonly Exchange[]>()
    expectTypeOf<Sandbox['clock']>().toEqualTypeOf<Clock>()
    expectTypeOf<Sandbox['collection']>().returns.toEqualTypeOf<RecordCollection>()
    // @ts-expect-error: it is read-only.
    createSandbox().contract = createSandbox().contract
  })
})

describe('the other faces', () => {
  it('fit the sandbox', () => {
    expectTypeOf(toExpress).parameter(0).toEqualTypeOf<Sandbox>()
    expectTypeOf(loadContract).returns.toEqualTypeOf<Promise<Contract>>()
    expectTypeOf<UsageError>().toExtend<Error>()
    expectTypeOf<UsageError['code']>().toEqualTypeOf<string>()
  })
})
