import type { AccessRules } from '../access/authorize.ts'
import { unlimitedRate } from '../access/quota.ts'
import { createScheme, type Scheme, type SecurityScheme } from '../access/security-scheme.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { QuotaHeader } from '../contract/hints.ts'
import { Router } from '../contract/router.ts'
import type { EventHost } from '../events/cause.ts'
import { type EventSink, WorldEvents } from '../events/world-events.ts'
import {
  checkScenario,
  type DescribedScenario,
  described,
  type Scenario,
  scenarioNames,
} from '../forcing/scenario.ts'
import * as fixtures from '../generated/fixtures.ts'
import { CrossOrigin, type RateLimit, type WriteQuota } from '../http/response-headers.ts'
import { createClientIds, randomSalt } from '../journal/client-id.ts'
import { type Binding, bindingOf, resourcesIn } from '../resources/bind.ts'
import { readFirstRecords } from '../resources/first-records/check-first-records.ts'
import type { Resource } from '../resources/resource.ts'
import type { FirstRecords } from '../resources/start-of.ts'
import type { Store } from '../resources/store/store.ts'
import type { Streams } from '../responses/content/event-stream.ts'
import { Clock } from '../time/clock.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { createFirstStore } from './first-records.ts'
import type { Settings } from './settings.ts'

/** The service that a sandbox stands in for. All worlds share it, and it never changes. */
export interface Service {
  readonly settings: Settings
  /** When the sandbox was created, in epoch milliseconds. */
  readonly startedAt: number
  readonly router: Router
  readonly crossOrigin: CrossOrigin
  readonly access: ServiceAccess
  /** The id of a credential in journals, which contains nothing of it. */
  readonly clientOf: (credential: string) => string
  readonly binding: (operation: Operation) => Binding
  /** Called when a world has changed without a request, so that what keeps its state saves it. A service that replaces this one has them. */
  readonly changed: Set<() => void>
  /** Functions that end the open streams of events. */
  readonly streams: Streams
  /** The events of a world. */
  readonly createEvents: (host: EventHost) => EventSink
  /** All resources. Finding them takes time for a large document, so only what needs all of them asks. */
  readonly resources: readonly Resource[]
  /**
   * The store that worlds start with. It is created once. Given records are completed as the API completes new ones, with
   * `now` in the dates that it sets. Rejects with a UsageError for invalid ones.
   */
  readonly firstStore: (records: FirstRecords, now: number) => Promise<Store>
  readonly scenarios: ReadonlyMap<string, DescribedScenario>
  /** A scenario by its name. Throws a UsageError for an unknown one. */
  readonly scenario: (name: string) => DescribedScenario
  /** The scenario that worlds start with. */
  readonly startScenario: DescribedScenario | undefined
}

/** What services have in common, so that all of them answer the same. */
interface ServiceOrigin {
  /** When the first server of several started, that all of them generate the same records. */
  readonly startedAt?: number
  /** By default, credentials have other ids than in other services. */
  readonly clientOf?: Service['clientOf'] | undefined
  /** Default: nobody keeps the state. */
  readonly changed?: Service['changed']
  /** Where the state is elsewhere, its events are, too. Default: they are in memory. */
  readonly createEvents?: Service['createEvents']
}

export function createService(
  settings: Settings,
  {
    startedAt = new Clock().now(),
    clientOf = createClientIds(randomSalt()),
    changed = new Set(),
    createEvents = (host) => new WorldEvents(host),
  }: ServiceOrigin = {},
): Service {
  const scenarios = checkedScenarios(settings)
  const { contract } = settings
  const stores = new Map<FirstRecords, Promise<Store>>()

  const scenario: Service['scenario'] = (name) => scenarioIn(scenarios, name)

  return {
    settings,
    startedAt,
    router: new Router(contract),
    crossOrigin: new CrossOrigin(contract),
    access: new ServiceAccess(settings),
    clientOf,
    changed,
    streams: new Set(),
    createEvents,
    binding: (operation) => bindingOf(contract, operation),
    get resources() {
      return resourcesIn(contract)
    },
    firstStore: (records, now) => {
      const store =
        stores.get(records) ?? createFirstStore(settings, () => resourcesIn(contract), records, now)
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
function checkedScenarios(settings: Settings): Service['scenarios'] {
  const { scenarios, contract, keys } = settings
  const names = scenarioNames(contract, keys, acceptedIn(settings) === 'any')
  const shipped: Readonly<Record<string, Scenario>> = fixtures.scenarios
  const checked = [...scenarios].map(([name, scenario]) => {
    if (scenario !== getOwn(shipped, name)) checkScenario(name, scenario, names)
    return [name, withRecords(described(name, scenario), contract)] as const
  })
  return new Map(checked)
}

/** The scenario with its records by the names of their collections, as the store has them. */
function withRecords(scenario: DescribedScenario, contract: Contract): DescribedScenario {
  const { records: given } = scenario
  if (!isObject(given)) return scenario
  const { records } = readFirstRecords(given, contract)

  return { ...scenario, ...(isObject(records) && { records }) }
}

/** Which credentials a service accepts. Without required ones, callers are still told apart as the document says. */
export function acceptedIn({
  auth,
  contract,
}: Pick<Settings, 'auth' | 'contract'>): AccessRules['accepts'] {
  const mode = auth === 'off' ? contract.sandbox?.auth : auth

  return mode && mode !== 'off' ? mode : 'any'
}

/** How contracts that do not say it expect credentials. */
const BEARER: readonly SecurityScheme[] = [{ name: 'bearer', type: 'bearer' }]

/** Parameters of OAuth 2 that are secret in every URL. */
const SECRET_PARAMETERS = ['access_token', 'client_secret', 'refresh_token']

const QUOTA_HEADER = /^x-ratelimit-(limit|remaining|reset)$/i

/** Where credentials with a name of their own are sent. */
type CredentialPart = 'header' | 'parameter' | 'cookie'

/** What a service does with credentials and quotas, by its document and the settings. */
class ServiceAccess {
  /** The figures of the quota headers where no quota applies; absent when the document does not declare these headers. */
  readonly declaredRate: ((now: number) => RateLimit) | undefined
  /** Writes the headers that the document has for quotas; absent for the usual ones. */
  readonly writeQuota: WriteQuota | undefined
  readonly rules: AccessRules
  readonly #names: Readonly<Record<CredentialPart, readonly string[]>>

  constructor({ auth, ban, contract }: Settings) {
    const { title: realm, securitySchemes = BEARER, responseHeaders } = contract
    const accepts = acceptedIn({ auth, contract })
    const schemes = securitySchemes.flatMap(createScheme)
    const namesOf = (part: CredentialPart): readonly string[] =>
      schemes.flatMap((scheme: Scheme) => scheme[part] ?? [])
    this.#names = {
      header: namesOf('header'),
      parameter: [...namesOf('parameter'), ...(contract.signIn ? SECRET_PARAMETERS : [])],
      cookie: namesOf('cookie'),
    }
    this.rules = { isRequired: auth !== 'off', accepts, schemes, realm, ban }
    const declaresQuota = responseHeaders?.some((name) => QUOTA_HEADER.test(name))
    this.declaredRate = declaresQuota || contract.quotaHeaders ? unlimitedRate : undefined
    this.writeQuota = contract.quotaHeaders && createQuotaWriter(contract.quotaHeaders)
  }

  /** The headers, query parameters or cookies that contain credentials. */
  namesOf(part: CredentialPart): readonly string[] {
    return this.#names[part]
  }
}

/** Writes the figures of a quota into the headers that a document has for them. */
function createQuotaWriter(headers: readonly QuotaHeader[]): WriteQuota {
  return (rateLimit, now) =>
    Object.fromEntries(headers.map((header) => [header.name, figureText(header, rateLimit, now)]))
}

function figureText(
  { figure, unit }: QuotaHeader,
  { limit, remaining, reset }: RateLimit,
  now: number,
): string {
  if (figure === 'limit') return String(limit)
  if (figure === 'remaining') return String(remaining)
  if (figure === 'used') return String(limit - remaining)
  if (unit === 'date-time') return new Date(reset).toISOString()
  if (unit === 'epoch-milliseconds') return String(reset)

  return String(unit === 'seconds' ? Math.max(0, Math.ceil((reset - now) / 1000)) : reset / 1000)
}
