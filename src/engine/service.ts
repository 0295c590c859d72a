import type { Operation } from '../contract/contract.ts'
import { Router } from '../contract/router.ts'
import {
  checkScenario,
  type DescribedScenario,
  described,
  type Scenario,
  scenarioNames,
} from '../forcing/scenario.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import * as fixtures from '../generated/fixtures.ts'
import { CrossOrigin } from '../http/cross-origin.ts'
import { type Binding, bind, type Resource, resourcesOf } from '../resources/bind.ts'
import type { FirstRecords } from '../resources/check-first-records.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import type { StoredRecord } from '../resources/record-index.ts'
import { completeRecord } from '../resources/record-values.ts'
import { createStore, type Store } from '../resources/store.ts'
import { getOwn } from '../validation/own-property.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { ServiceAccess } from './service-access.ts'
import type { Settings } from './settings.ts'

type RecordsByName = ReadonlyMap<string, readonly StoredRecord[]>

/** The service that a sandbox stands in for. All worlds share it, and it never changes. */
export interface Service {
  readonly settings: Settings
  readonly router: Router
  readonly crossOrigin: CrossOrigin
  readonly access: ServiceAccess
  readonly binding: (operation: Operation) => Binding
  readonly resources: readonly Resource[]
  /**
   * The store with the first records. It is created once, and worlds fork it. Given records are completed as the API completes
   * new ones, with `now` in the dates that it sets. Rejects with a UsageError for records that cannot be generated, and for
   * invalid ones.
   */
  readonly firstStore: (records: FirstRecords, now: number) => Promise<Store>
  readonly scenarios: ReadonlyMap<string, DescribedScenario>
  /** A scenario by its name. Throws a UsageError for an unknown one. */
  readonly scenario: (name: string) => DescribedScenario
  /** The scenario that worlds start with. */
  readonly startScenario: DescribedScenario | undefined
}

export function createService(settings: Settings): Service {
  const scenarios = checkedScenarios(settings)
  const { contract } = settings
  const bindings = bind(contract)
  const resources = resourcesOf(bindings)
  const stores = new Map<FirstRecords, Promise<Store>>()

  const scenario: Service['scenario'] = (name) => scenarioIn(scenarios, name)

  return {
    settings,
    router: new Router(contract),
    crossOrigin: new CrossOrigin(contract),
    access: new ServiceAccess(settings),
    binding: bindingLookup(bindings),
    resources,
    firstStore: (records, now) => {
      const store = stores.get(records) ?? createFirstStore(settings, resources, records, now)
      stores.set(records, store)
      return store
    },
    scenarios,
    scenario,
    startScenario: settings.scenario === undefined ? undefined : scenario(settings.scenario),
  }
}

function scenarioIn(scenarios: Service['scenarios'], name: string): DescribedScenario {
  const scenario = scenarios.get(name)
  if (!scenario) {
    throw new UsageError({
      code: 'unknown_scenario',
      task: 'apply the scenario',
      ...unknownName('scenario', name, [...scenarios.keys()]),
    })
  }
  return scenario
}

/** The scenarios, each with a description. Throws a UsageError for the first invalid one. Those that ship are valid. */
function checkedScenarios({ scenarios, contract, keys }: Settings): Service['scenarios'] {
  const shipped: Readonly<Record<string, Scenario>> = fixtures.scenarios
  const checked = [...scenarios].map(([name, scenario]) => {
    if (scenario !== getOwn(shipped, name))
      checkScenario(name, scenario, scenarioNames(contract, keys))
    return [name, described(name, scenario)] as const
  })
  return new Map(checked)
}

async function createFirstStore(
  settings: Settings,
  resources: readonly Resource[],
  records: FirstRecords,
  now: number,
): Promise<Store> {
  const recordsByName =
    typeof records === 'number'
      ? (shippedRecords(settings, resources, records) ??
        (await generatedRecords(settings, resources, records)))
      : completedRecords(resources, records, now)
  const first = new Map([...recordsByName].map(([name, rows]) => [name, { rows }]))
  try {
    return await createStore(resources, first, settings.seed)
  } catch (cause) {
    if (!(cause instanceof InvalidRecordError)) throw cause
    const isGenerated = typeof records === 'number'
    throw new UsageError({
      code: 'invalid_seed',
      task: `create the first records of ${settings.contract.title}`,
      reason: cause.message,
      ...(isGenerated && { help: 'Give that property an x-faker hint.' }),
      // The document has no location for records that are given.
      cause: isGenerated ? cause : new InvalidRecordError(cause.errors),
    })
  }
}

/**
 * The shipped records, if there are enough of them. They were generated from the shipped contract with seed 1, so that the
 * usual start does not need faker.
 */
function shippedRecords(
  { contract, seed }: Settings,
  resources: readonly Resource[],
  count: number,
): RecordsByName | undefined {
  const rows = resources.map(
    ({ name }) => [name, getOwn(fixtures.records, name)?.slice(0, count)] as const,
  )
  const isShipped = contract.operations === shippedContract.operations && seed === 1
  const isEnough = rows.every(([, made]) => made?.length === count)

  return isShipped && isEnough ? new Map(rows.map(([name, made = []]) => [name, made])) : undefined
}

/** The given records, completed by the rules of the API. */
function completedRecords(
  resources: readonly Resource[],
  records: Exclude<FirstRecords, number>,
  now: number,
): RecordsByName {
  const given = resources.map((resource) => {
    const rows = Object.hasOwn(records, resource.name) ? (records[resource.name] ?? []) : []
    return [resource.name, rows.map((row) => completeRecord(resource, row, now))] as const
  })
  return new Map(given)
}

/** Generated records. Faker is loaded only here. */
async function generatedRecords(
  { seed }: Settings,
  resources: readonly Resource[],
  count: number,
): Promise<RecordsByName> {
  if (count === 0) return new Map()
  const { generateRecords } = await import('../resources/generate-records.ts')
  return generateRecords(resources, count, seed)
}

function bindingLookup(bindings: readonly Binding[]): Service['binding'] {
  const byOperation = new Map(bindings.map((binding) => [binding.operation, binding]))
  return (operation) => {
    const binding = byOperation.get(operation)
    if (binding) return binding
    throw new TypeError(`${operation.id} is not bound`)
  }
}
