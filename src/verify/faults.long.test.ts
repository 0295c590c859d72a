import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { FAULTS } from '../testing/faulty-services/faults.ts'
import type { Fault, RecordService } from '../testing/faulty-services/record-service.ts'
import { SERVICES } from '../testing/faulty-services/services.ts'
import { isLongRun } from '../testing/long-run.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult, Verification } from './verification.ts'
import { verify } from './verify.ts'

type ServiceName = keyof typeof SERVICES

const contracts = new Map<ServiceName, Contract>()

beforeAll(async () => {
  for (const name of namesOf(SERVICES)) {
    contracts.set(name, await loadContract(SERVICES[name].document))
  }
})

function namesOf<Name extends string>(all: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(all) as Name[]
}

/** Verifies a service as a user does: with writes, and with the default budget. */
async function run(
  name: ServiceName,
  { fault, ...options }: VerifyOptions & { readonly fault?: Fault } = {},
): Promise<{ readonly verification: Verification; readonly service: RecordService }> {
  const { base, create, options: given } = SERVICES[name]
  const service = create(fault)
  const contract = contracts.get(name)
  if (!contract) throw new Error(`There is no contract for ${name}.`)
  const verification = await verify(base, contract, {
    ...given,
    fetch: (request) => service.fetch(request),
    ...options,
  })
  return { verification, service }
}

function failed({ checks }: Verification): readonly CheckResult[] {
  return checks.filter(({ status }) => status === 'failed')
}

describe('a service without a fault', () => {
  test.each(namesOf(SERVICES))('fails no check: %s', async (name) => {
    const { verification } = await run(name)

    expect(verification.unusable).toBeUndefined()
    expect(failed(verification)).toEqual([])
    expect(verification.operations.exercised).toBe(verification.operations.total)
    expect(verification.requests).toBeLessThanOrEqual(47 * verification.operations.total)
  })

  test.each(namesOf(SERVICES))('has the same records afterwards: %s', async (name) => {
    const before = SERVICES[name].create().records.map(({ value }) => JSON.stringify(value))
    const { verification, service } = await run(name, { exhaust: true, decisions: true })

    const after = service.records.map(({ value }) => JSON.stringify(value))
    const ids = /"id":"[0-9a-f-]{36}",?/
    const plain = (texts: readonly string[]): readonly string[] =>
      texts.map((one) => one.replace(ids, ''))
    expect(plain(after).slice(0, before.length)).toEqual(plain(before))
    expect(after.length - before.length).toBe(verification.left.length)
  })
})

/** Alone, the checks of the operations of a collection are enough, except where all of them share a fault. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  customers: ['/customers', '/customers/{customerId}'],
  addresses: ['/customers/**'],
  orders: ['/orders', '/orders/**'],
  workspaces: ['/workspaces/**', '/workspaces'],
  projects: ['/workspaces/**'],
  tasks: ['/workspaces/**'],
  books: ['/books', '/books/**'],
  authors: ['/authors', '/authors/**'],
}

/** Every fourth one; `npm run fuzz` takes all. */
const TESTED = FAULTS.filter((_, at) => isLongRun || at % 4 === 0)

describe('verify sees, with the default budget, a fault of', () => {
  test.each(TESTED)('%s in %s %s: %s', async (_group, name, at, kind) => {
    const only = isLongRun ? [] : (PATHS[at] ?? [])
    const { verification } = await run(name, { fault: { kind, ...(at && { at }) }, only })

    expect(failed(verification).length).toBeGreaterThan(0)
  })
})
