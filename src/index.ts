export type { BanRules } from './access/ban.ts'
export type { Contract, RecordTypes, ServiceTypes } from './contract/contract.ts'
export type { Attempt, Delivery, DeliveryState, SentEvent, Settled } from './events/delivery.ts'
export type { EventOptions, SignatureForm } from './events/event-settings.ts'
export type { Subscription } from './events/subscribers.ts'
export type {
  ForcedAnswer,
  ForceRule,
  RequestPart,
  SeriesAnswer,
} from './forcing/force-rule.ts'
export type { Outcome } from './forcing/outcomes.ts'
export type { ForcedOutcome } from './forcing/rules.ts'
export type { Scenario, ScenarioRule } from './forcing/scenario.ts'
export type * from './generated/schemas.ts'
export {
  type Answer,
  afterHandlers,
  beforeHandlers,
  defineHandlers,
  type Handler,
  type HandlerContext,
  type Handlers,
} from './handlers/define-handlers.ts'
export { passthrough } from './handlers/passthrough.ts'
export type { HandlerMistake } from './handlers/select-handlers.ts'
export type {
  CoreRequest,
  CoreRequest as Ask,
  CoreResponse,
  CoreResponse as Reply,
} from './http/message.ts'
export type { Exchange, GivenMessage, Note, SentMessage } from './journal/exchange.ts'
export type { ExchangeQuery } from './journal/exchange-query.ts'
export type { Har } from './journal/har.ts'
export type { Report, ReportOptions } from './report/report.ts'
export type { Finding } from './report/rules.ts'
export type { RecordCollection } from './resources/behaviour/record-collection.ts'
export type { SandboxEvents } from './sandbox/events.ts'
export type { SandboxOptions } from './sandbox/options.ts'
export { createSandbox, type Sandbox, type ShippedSandbox } from './sandbox/sandbox.ts'
export type { Snapshot } from './sandbox/snapshot.ts'
export type { World, WorldClock, WorldJournal, WorldReportOptions } from './sandbox/world.ts'
export type { TokenResponse } from './sign-in/issue-tokens.ts'
export type { OAuthClient, SignInOptions } from './sign-in/sign-in-settings.ts'
export type { SandboxSignIn, SignInInfo, TokenInfo, TokenRequestOptions } from './sign-in/steer.ts'
export type { SignInUser } from './sign-in/users.ts'
export type { Instant } from './time/clock.ts'
export type { Duration, DurationRange } from './time/duration.ts'
export { UsageError } from './validation/usage-error.ts'
