import type { Plan } from '../access/callers.ts'
import type { KeyInfo } from '../access/keys.ts'
import type { Schema } from '../contract/contract.ts'
import type { Delivery, SentEvent, Settled } from '../events/delivery.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { ScenarioInfo } from '../forcing/scenario.ts'
import type { InputError } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { Har } from '../journal/har.ts'
import type { StoredRecord } from '../records/record-table.ts'
import type { Report } from '../report/report.ts'
import type { Account } from '../sandbox/accounts.ts'
import type {
  ListedOperation,
  NamedOperation,
  OperationDetails,
} from '../sandbox/operation-details.ts'
import type { OperationRequest } from '../sandbox/sample-request.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import type { TokenResponse } from '../sign-in/issue-tokens.ts'
import type { SignInInfo, TokenInfo } from '../sign-in/steer.ts'
import type { SignInUser } from '../sign-in/users.ts'

/** What each operation of the control interface answers, as JSON. `undefined` is an answer without content. */
export interface Outputs {
  getIndex: ControlIndex
  getDocument: object
  getHealth: Health
  listOperations: readonly (ListedOperation | NamedOperation)[]
  getOperation: OperationDetails
  sampleRequest: OperationRequest
  checkRequest: { readonly errors: readonly InputError[] }
  reset: undefined
  takeSnapshot: Snapshot
  restoreSnapshot: undefined
  getClock: ClockState
  moveClock: ClockState & { readonly note?: string; readonly deliveries?: Settled }
  listOutcomes: readonly ForcedOutcome[]
  forceOutcome: ForcedOutcome
  clearOutcomes: undefined
  removeOutcome: undefined
  listScenarios: readonly ScenarioInfo[]
  playScenario: ScenarioInfo
  listCollections: readonly (CollectionCount | CollectionName)[]
  describeCollection: CollectionDetails
  listRecords: StoredRecord[]
  createRecord: StoredRecord
  getRecord: StoredRecord
  updateRecord: StoredRecord
  removeRecord: undefined
  listPlans: readonly Plan[]
  setPlan: Plan
  listKeys: readonly KeyInfo[]
  setKey: KeyInfo
  removeKey: undefined
  listAccounts: readonly Account[]
  setRemaining: Account
  liftBan: undefined
  listWorlds: readonly WorldInfo[]
  createWorld: WorldInfo
  listDroppedWorlds: readonly string[]
  removeWorld: undefined
  findExchanges: JournalPage
  getExchange: Exchange
  waitForExchange: Exchange
  exportHar: Har
  streamExchanges: never
  getReport: Report
  listDeliveries: readonly ShownDelivery[]
  resendDelivery: ShownDelivery
  settleDeliveries: Settled
  emitEvent: SentEvent
  receiveDeliveries: never
  answerForwarded: undefined
  waitForEvent: SentEvent
  listSubscriptions: readonly ShownSubscription[]
  getSignIn: SignInInfo
  listSignInUsers: readonly ShownUser[]
  listTokens: readonly TokenInfo[]
  issueToken: TokenResponse
  revokeGrant: undefined
}

/** Somebody who can sign in. */
export type ShownUser = Omit<SignInUser, 'claims'>

/** A delivery without the secrets of its subscription. */
export type ShownDelivery = Omit<Delivery, 'secrets'>

/** A delivery that a client sends to its own receiver. */
export interface ForwardedDelivery {
  /** Names the attempt in the answer. */
  readonly ticket: string
  readonly event: SentEvent
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A subscription without its secrets. */
export interface ShownSubscription {
  /** The path of its record, such as `hooks/1`. */
  readonly path: string
  readonly url: string
  /** The names of the events that it asks for; absent when it asks for all. */
  readonly events?: readonly string[]
  /** Whether events are sent to it. */
  readonly active: boolean
}

/** What can be asked of the control interface. */
interface ControlIndex {
  readonly title: string
  readonly world: string
  /** The path of the API's base address. */
  readonly basePath: string
  readonly document: string
  /** Such as `GET /__sandbox/clock: Get the time`. */
  readonly operations: readonly string[]
}

/** The API that a sandbox serves. */
export interface Health {
  readonly status: 'ready'
  /** The API's title. */
  readonly title: string
  /** The API's version. */
  readonly version: string
  /** The path of the API's base address. */
  readonly basePath: string
  /** The name of the world. */
  readonly world: string
  /** Another value after the sandbox was started again, unless its state is in a shared store. */
  readonly run: string
  /** Present when every credential is valid, and not only the keys. */
  readonly anyCredential?: true
  /** Present when the state is in a store that several servers share. */
  readonly store?: 'ready'
}

/** The note in the response to a move back. */
export const MOVED_BACK_NOTE: string =
  'The clock moved back. Quota windows start again, with no requests counted. Bans still end at the same time.'

/** The clock of a world. */
export interface ClockState {
  readonly now: string
  readonly frozen: boolean
}

/** A collection whose records are not counted. */
export interface CollectionName {
  readonly name: string
  readonly count?: undefined
}

/** A collection in the response of the control interface. */
export interface CollectionCount {
  readonly name: string
  readonly count: number
  /** Of collections below records, those that were changed until now. */
  readonly opened?: readonly CollectionCount[]
}

/** A collection, and what its records consist of. */
export interface CollectionDetails {
  /** The name; of a collection below records its path, such as `orgs/acme/repos`. */
  readonly name: string
  readonly count: number
  /** The property that contains the id. */
  readonly id: string
  /** The properties of a record, in the order of the document. */
  readonly properties: readonly RecordProperty[]
  /** The JSON Schema of a stored record. A part that contains itself, and parts of a very large schema, are `{}`. */
  readonly schema: Schema
  /** The collections right below each record, such as `zoos/{zooId}/keepers`; absent when links were not asked for. */
  readonly below?: readonly string[]
  /** The properties of other collections that contain ids of these records; absent when links were not asked for. */
  readonly referredBy?: readonly { readonly collection: string; readonly property: string }[]
}

/** A property of the records of a collection. */
export interface RecordProperty {
  readonly name: string
  /** The JSON Schema of the value. */
  readonly schema: Schema
  /** Whether a new record needs it. */
  readonly required: boolean
  /** Whether the service sets it. The control interface may set it, too. */
  readonly readOnly: boolean
  /** The collection whose ids the values are, by the name and the type of the property; absent when they are none. */
  readonly refersTo?: string
}

/** The exchanges that match a query, and what the journal has. */
export interface JournalPage {
  readonly exchanges: readonly Exchange[]
  /** The id of the latest exchange. */
  readonly last: number
  /** How many exchanges were dropped. */
  readonly dropped: number
}
