import type { Service } from '../../engine/service.ts'
import type { Records } from '../../resources/records.ts'
import type { SharedRecords } from '../../resources/shared-store.ts'
import { epochOf } from '../../time/clock.ts'
import { unreadableConfiguration } from './configuration.ts'

/** What the collections of a world start with: the same on every server. */
export interface FirstRecords extends SharedRecords {
  /** The collections that start with given records. A snapshot has them also when nothing has used them yet. */
  readonly given: readonly Records[]
}

/** The first records of a scenario, or those of the settings. Rejects with a StoreUnavailableError for an unknown scenario. */
export async function firstRecordsOf(
  service: Service,
  scenario: string | undefined,
): Promise<FirstRecords> {
  const { settings, scenarios, startScenario, startedAt } = service
  const own = scenario === undefined ? undefined : scenarios.get(scenario)
  if (scenario !== undefined && !own) throw unreadableConfiguration()
  // The settings' records are those of a start scenario that has none.
  const { clock = startedAt } =
    own ?? (startScenario?.records === undefined ? (startScenario ?? {}) : {})
  const store = await service.firstStore(own?.records ?? settings.records, epochOf(clock))

  return {
    first: store.startRecords,
    seed: settings.seed,
    resources: () => service.resources,
    given: await store.opened(),
  }
}
