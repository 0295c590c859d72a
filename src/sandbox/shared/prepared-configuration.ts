import { Keys } from '../../access/keys.ts'
import type { Service } from '../../engine/service.ts'
import type { RuleState } from '../../forcing/decide-forced.ts'
import type { WorldConfig } from '../../state/stored-state.ts'
import { type GivenRule, readConfiguration } from './configuration.ts'
import { type FirstRecords, firstRecordsOf } from './first-records.ts'
import type { SharedService } from './shared-service.ts'

/** A rule of a configuration. */
export interface PreparedRule extends Pick<RuleState, 'given'> {
  readonly id: number
  /** As a snapshot of rules has it. */
  readonly saved: GivenRule
}

/** The configuration of a world, ready for requests: it is read once for each version. */
export interface PreparedConfiguration {
  readonly epoch: string
  readonly version: number
  readonly keys: Keys
  /** What the collections of the world start with. */
  readonly first: FirstRecords
  /** The rules that may still be forced. One that was forced often enough is removed when that is seen. */
  readonly rules: Map<number, PreparedRule>
}

export async function prepareConfiguration(
  { epoch, version, text }: WorldConfig,
  service: Service,
): Promise<PreparedConfiguration> {
  const { keys, rules, recordsOf } = readConfiguration(text, service.settings.contract)
  const prepared = rules.list.map((saved) => {
    const { id, outcome: _, ...given } = saved
    return [id, { id, saved, given }] as const
  })
  return {
    epoch,
    version,
    keys: keysOf(keys, service),
    first: await firstRecordsOf(service, recordsOf),
    rules: new Map(prepared),
  }
}

/** The configuration that an instance starts with: no world has it, so the store gives the present one. */
export function unknownConfiguration({
  service,
  firstRecords: first,
}: SharedService): PreparedConfiguration {
  const keys = keysOf(service.settings.keys, service)
  return { epoch: '', version: 0, keys, first, rules: new Map() }
}

/** Plans and keys, ready for requests. */
export function keysOf(
  keys: ConstructorParameters<typeof Keys>[0],
  { access, settings }: Service,
): Keys {
  return new Keys(keys, { accepts: access.rules.accepts, configured: settings.keys.keys })
}
