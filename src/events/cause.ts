import type { Contract, Operation } from '../contract/contract.ts'
import type { Input } from '../contract/input.ts'
import type { Rules } from '../forcing/rules.ts'
import type { EmittedEvent } from '../handlers/define-handlers.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { resourcesIn } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import { hasLaterChanges } from '../resources/store/settle.ts'
import type { Store } from '../resources/store/store.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { Clock } from '../time/clock.ts'
import { once } from '../validation/objects.ts'
import type { SentEvent } from './delivery.ts'
import type { EventSettings } from './event-settings.ts'

/** The world of events, and what they need of it. */
export interface EventHost {
  readonly service: AnsweringService & {
    readonly settings: { readonly contract: Contract; readonly events: EventSettings }
  }
  readonly clock: Clock
  /** What is forced on deliveries. */
  readonly rules: Pick<Rules, 'isEmpty' | 'decide'>
  /** The id of the latest exchange in the journal. */
  readonly lastExchange: () => number
  readonly openStore: () => Promise<Store>
  /** Called when the world has changed without a request: something was to be sent, or was sent, or the clock has changed records. */
  readonly onChange?: () => void
}

/** Whether operations of a document change records some time after they were called. */
export const changesLater: (contract: Contract) => boolean = once((contract) =>
  resourcesIn(contract).some(hasLaterChanges),
)

/** What caused events: changes of records, by a request or by hand. */
export interface Cause {
  readonly changes: readonly RecordChange[]
  /** The address of the API, for links to records. */
  readonly base?: string
  /** Events that were emitted by hand. */
  readonly emitted?: readonly EmittedCause[]
  /** The operation that was called, which may have callbacks. */
  readonly called?: Called
}

/** An event that is emitted by hand. */
export interface EmittedCause extends EmittedEvent {
  /** What it is about; absent when its data or its name tell. */
  readonly change?: RecordChange
}

/** A successful request, to which callbacks refer. */
export interface Called {
  readonly operation: Operation
  /** What the operation is about; absent when it is about no records. */
  readonly resource?: Resource
  readonly request: CoreRequest
  readonly input: Input
  readonly response: CoreResponse
}

/** What happened, as streams of events tell of it. */
export interface Happened {
  readonly event: SentEvent
  /** What happened to a record; absent when the event was emitted by hand about something else. */
  readonly change?: RecordChange
  /** What an event is about that was emitted by hand. */
  readonly data?: unknown
}

/** What happened, with its number among the events that streams tell of. */
export interface NumberedEvent extends Happened {
  readonly number: number
}
