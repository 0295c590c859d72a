import type { BanRules } from '../access/ban.ts'
import type { KeysSnapshot } from '../access/keys.ts'
import type { AuthMode } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import type { UnknownIds, Validation } from '../contract/input.ts'
import type { EventSettings } from '../events/event-settings.ts'
import type { Scenario } from '../forcing/scenario.ts'
import type { Locale } from '../generate/locale.ts'
import type { HandlerSettings } from '../handlers/select-handlers.ts'
import type { FirstRecords } from '../resources/start-of.ts'
import type { SignInOptions } from '../sign-in/sign-in-settings.ts'
import type { Span } from '../time/duration.ts'

/** The options of a sandbox, complete and checked. */
export interface Settings {
  readonly contract: Contract
  readonly seed: number
  readonly records: FirstRecords
  /** The language of generated names and places; default: English. */
  readonly locale?: Locale
  readonly keys: KeysSnapshot
  readonly ban: BanRules | undefined
  readonly quota: boolean
  readonly auth: AuthMode
  /** The size limit of a request body in bytes. */
  readonly bodyLimit: number
  readonly validation: Validation
  readonly unknownIds: UnknownIds
  readonly unknownProperties: 'drop' | 'keep'
  readonly latency: Span
  readonly journal: number
  readonly scenario: string | undefined
  readonly scenarios: ReadonlyMap<string, Scenario>
  readonly worlds: number
  /** The code of a developer for operations. */
  readonly handlers?: HandlerSettings
  /** What is done with events. */
  readonly events: EventSettings
  /** How clients and users get tokens, as given: what checks it is loaded with the sign-in. */
  readonly signIn: SignInOptions
  readonly persist: 'session' | false
}
