import type { Service } from '../engine/service.ts'
import type { WorldHandle, WorldState } from '../engine/world-state.ts'
import type { RulesSnapshot } from '../forcing/rules.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import type { Records, RecordsSnapshot } from '../resources/records.ts'
import type { Resource } from '../resources/resource.ts'
import { createRecords, Store } from '../resources/store.ts'
import { count } from '../validation/plural.ts'
import { restoreWorldState, takeSnapshot, type WorldSnapshot } from './snapshot.ts'

/** The state of a world for a new service, ready to replace the present state. */
interface CarriedState {
  /** What was left out because it does not fit the new service, as sentences. */
  readonly notices: readonly string[]
  /** Whether the world has not changed since. */
  readonly isCurrent: () => boolean
  readonly replace: () => void
}

/** Makes the state of a world for a new service. Rejects with a UsageError when the service has no valid first records. */
export async function carryOver(handle: WorldHandle, service: Service): Promise<CarriedState> {
  const replace = handle.startReplacement()
  const { state: before } = handle
  const { last } = before.journal
  const { state: saved } = await takeSnapshot(before)
  const rules = fittingRules(saved.rules, service)
  const { store, notices } = await fittingStore(saved, service, before)
  const state = restoreWorldState(
    service,
    handle.listeners,
    { ...saved, rules: rules.kept },
    Promise.resolve(store),
  )
  // The store of a state counts as open only after its promise was read.
  await state.store
  const { journal } = before

  return {
    notices: [...rules.notices, ...notices],
    isCurrent: () => handle.state === before && journal.last === last,
    replace: () => {
      journal.setOperations(service.settings.contract.operations)
      replace({ ...state, journal })
    },
  }
}

function fittingRules(
  { last, list }: RulesSnapshot,
  { settings }: Service,
): { readonly kept: RulesSnapshot; readonly notices: readonly string[] } {
  const known = new Set(settings.contract.operations.map(({ id }) => id))
  const fits = ({ operation }: RulesSnapshot['list'][number]): boolean =>
    operation === undefined || known.has(operation)
  const removed = list.filter((rule) => !fits(rule))

  return {
    kept: { last, list: list.filter(fits) },
    notices: removed.map(
      ({ outcome, operation }) =>
        `The forced outcome ${outcome} was removed: the document has no operation ${operation}.`,
    ),
  }
}

async function fittingStore(
  { records }: WorldSnapshot,
  service: Service,
  { clock }: WorldState,
): Promise<{ readonly store: Store; readonly notices: readonly string[] }> {
  const { resources, settings } = service
  const names = new Set(resources.map(({ name }) => name))
  const gone = Object.entries(records).filter(
    ([name, { rows }]) => !names.has(name) && rows.length > 0,
  )
  const notices = gone.map(
    ([name, { rows }]) =>
      `${countOf(rows.length, name)} removed: the document has no such collection.`,
  )
  const first = await service.firstStore(
    service.startScenario?.records ?? settings.records,
    clock.now(),
  )
  const opened = new Map<string, Records>()
  for (const resource of resources) {
    const saved = Object.hasOwn(records, resource.name) ? records[resource.name] : undefined
    if (!saved) continue
    const { kept, removed } = await fittingRecords(resource, saved, settings.seed)
    opened.set(resource.name, kept)
    if (removed > 0) {
      const why = removed === 1 ? 'it no longer matches' : 'they no longer match'
      notices.push(`${countOf(removed, resource.name)} removed: ${why} the document.`)
    }
  }
  const store = new Store(async (resource) => (await first.open(resource)).fork(), opened)

  return { store, notices }
}

/** `3 records of books were`. */
function countOf(number: number, collection: string): string {
  return `${count(number, 'record')} of ${collection} ${number === 1 ? 'was' : 'were'}`
}

async function fittingRecords(
  resource: Resource,
  saved: RecordsSnapshot,
  seed: number,
): Promise<{ readonly kept: Records; readonly removed: number }> {
  try {
    return { kept: await restored(resource, saved, seed), removed: 0 }
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error
  }
  const probe = await restored(resource, { rows: [] }, seed)
  const rows: RecordsSnapshot['rows'][number][] = []
  for (const row of saved.rows) {
    const isValid = await probe.create(row).then(
      () => true,
      (error: unknown) => {
        if (error instanceof InvalidRecordError) return false
        throw error
      },
    )
    if (isValid) rows.push(row)
  }

  return {
    kept: await restored(resource, { ...saved, rows }, seed),
    removed: saved.rows.length - rows.length,
  }
}

async function restored(
  resource: Resource,
  saved: RecordsSnapshot,
  seed: number,
): Promise<Records> {
  const records = createRecords(resource, seed)
  await records.restore(saved)

  return records
}
