export { type ClientOptions, createClient } from './client/client.ts'
export type { Receiving } from './client/receive.ts'
export type {
  ClientClock,
  ClientEvents,
  ClientJournal,
  ClientSignIn,
  SandboxClient,
} from './client/sandbox-client.ts'
export type { ServiceTypes } from './contract/contract.ts'
export type {
  CollectionCount,
  CollectionDetails,
  Health,
  RecordProperty,
  ShownDelivery,
  ShownSubscription,
  ShownUser,
} from './control/outputs.ts'
export type { Diagnostic } from './document/diagnostic.ts'
export type * from './generated/schemas.ts'
export type { ExchangeSummary, ExchangeSummary as ToldExchange } from './journal/exchange.ts'
export type { ExplainedOperation } from './resources/behaviour/explain-operations.ts'
export type { Account, AccountWindow, RemainingRequests } from './sandbox/accounts.ts'
export type {
  ListedOperation,
  NamedOperation,
  OperationDetails,
  ParameterDetails,
} from './sandbox/operation-details.ts'
export type { OperationRequest } from './sandbox/sample-request.ts'
export { UsageError } from './validation/usage-error.ts'
