import { createService, type Service } from '../engine/service.ts'
import type { WorldHandle, WorldState } from '../engine/world-state.ts'
import type { RulesSnapshot } from '../forcing/rules.ts'
import {
  type CollectionAddress,
  findCollection,
  parentsFirst,
} from '../resources/collection-name.ts'
import { isValid } from '../resources/first-records/is-valid.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import { MemoryCollections } from '../resources/store/memory-collections.ts'
import { type Records, type RecordsSnapshot, restoreRecords } from '../resources/store/records.ts'
import { Store } from '../resources/store/store.ts'
import { withIds } from '../resources/with-ids.ts'
import { storedResources } from '../sign-in/collection.ts'
import { count } from '../validation/usage-error.ts'
import { resolveOptions, type SandboxOptions } from './options.ts'
import { handlesOf, type Sandbox } from './sandbox.ts'
import { restoreWorldState, takeSnapshot, type WorldSnapshot } from './snapshot.ts'

/** The state of a world for a new service, ready to replace the present state. */
interface CarriedState {
  /** What was left out because it does not fit the new service, as sentences. */
  readonly notices: readonly string[]
  /** Whether the world has not changed since. */
  readonly isCurrent: () => boolean
  readonly replace: () => void
}

/** How often a reload begins again because requests change the worlds meanwhile. */
const MAX_ATTEMPTS = 5

/**
 * Continues a sandbox with other options, such as a changed contract. Records, counts, bans, clocks, rules, journals and worlds
 * stay. Returns what was removed because it no longer fits. Rejects with a UsageError for invalid options, and changes nothing.
 */
export async function reloadSandbox(
  sandbox: Sandbox,
  options: SandboxOptions,
): Promise<readonly string[]> {
  const [own] = handlesOf(sandbox)
  const { clientOf, changed } = own.state.service
  const service = createService(resolveOptions(options), { clientOf, changed })
  for (let attempt = 1; ; attempt += 1) {
    const handles = handlesOf(sandbox)
    const carried = await Promise.all(handles.map((handle) => carriedState(handle, service)))
    // A request may have changed a world in the meantime.
    const isCurrent = carried.every(({ isCurrent }) => isCurrent())
    if (!isCurrent && attempt < MAX_ATTEMPTS) continue
    for (const { replace } of carried) replace()

    return [...new Set(carried.flatMap(({ notices }) => notices))]
  }
}

/** Makes the state of a world for a new service. */
async function carriedState(handle: WorldHandle, service: Service): Promise<CarriedState> {
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
  await state.openStore()
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
  const { operations } = settings.contract
  const known = new Set(operations.map(({ id }) => id))
  const tags = new Set(operations.flatMap(({ tags: own = [] }) => own))
  const fits = ({ operation, tag }: RulesSnapshot['list'][number]): boolean =>
    (operation === undefined || known.has(operation)) && (tag === undefined || tags.has(tag))
  const removed = list.filter((rule) => !fits(rule))

  return {
    kept: { last, list: list.filter(fits) },
    notices: removed.map(
      ({ outcome, status, operation, tag }) =>
        `The forced outcome ${outcome ?? status ?? 'answer'} was removed: the document has no ${
          operation === undefined || known.has(operation) ? `tag ${tag}` : `operation ${operation}`
        }.`,
    ),
  }
}

async function fittingStore(
  { records }: WorldSnapshot,
  service: Service,
  { clock }: WorldState,
): Promise<{ readonly store: Store; readonly notices: readonly string[] }> {
  const { settings } = service
  const resources = storedResources(service)
  const collections = Object.entries(records).map(([name, saved]) => ({
    saved,
    name,
    found: findCollection(resources, name),
  }))
  const notices = collections.flatMap(({ name, saved: { rows }, found }) =>
    found || rows.length === 0
      ? []
      : `${countOf(rows.length, name)} removed: the document has no such collection.`,
  )
  const { startRecords } = await service.firstStore(
    service.startScenario?.records ?? settings.records,
    clock.now(),
  )
  const fitting = new MemoryCollections()
  for (const { saved, name, found } of parentsFirst(collections)) {
    if (!found) continue
    const { kept, removed } = await fittingRecords(found, saved, settings.seed)
    await fitting.add(kept)
    if (removed > 0) {
      const why = removed === 1 ? 'it no longer matches' : 'they no longer match'
      notices.push(`${countOf(removed, name)} removed: ${why} the document.`)
    }
  }
  return { store: new Store(startRecords, fitting), notices }
}

/** `3 records of books were`. */
function countOf(number: number, collection: string): string {
  return `${count(number, 'record')} of ${collection} ${number === 1 ? 'was' : 'were'}`
}

async function fittingRecords(
  collection: CollectionAddress,
  saved: RecordsSnapshot,
  seed: number,
): Promise<{ readonly kept: Records; readonly removed: number }> {
  const resource = await withIds(collection.resource)
  const restored = (rows: RecordsSnapshot['rows'], more?: RecordsSnapshot): Promise<Records> =>
    restoreRecords(resource, { ...more, rows }, seed, collection.name)
  const shown = saved.rows.filter((row) => isValid(resource, row))
  try {
    const kept = await restored(shown, saved)
    return { kept, removed: saved.rows.length - shown.length }
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error
  }
  // The store refuses ids that are used twice, and ids that the paths cannot have.
  const probe = await restored([])
  const rows: RecordsSnapshot['rows'][number][] = []
  for (const row of shown) {
    const isAdded = await probe.create(row).then(
      () => true,
      (error: unknown) => {
        if (error instanceof InvalidRecordError) return false
        throw error
      },
    )
    if (isAdded) rows.push(row)
  }

  return {
    kept: await restored(rows, saved),
    removed: saved.rows.length - rows.length,
  }
}
