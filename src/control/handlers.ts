import type { Caller } from '../access/callers.ts'
import { ANY_KEY, usableKey } from '../access/keys.ts'
import type { Operation } from '../contract/contract.ts'
import type { OperationDocumentation } from '../contract/documentation.ts'
import type { Input } from '../contract/input.ts'
import { checkEventPattern, namedEvents } from '../events/known-events.ts'
import { contract } from '../generated/control.ts'
import type { Inputs } from '../generated/control-types.ts'
import type { CoreResponse } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import { readResources } from '../resources/bind.ts'
import {
  type AccountState,
  describeAccount,
  findCaller,
  liftBan,
  listAccounts,
  setRemaining,
} from '../sandbox/accounts.ts'
import { checkRequest } from '../sandbox/check-request.ts'
import {
  countHandlers,
  listOperations,
  nameOperations,
  operationDetails,
} from '../sandbox/operation-details.ts'
import { sampleOperation } from '../sandbox/sample-request.ts'
import type { World } from '../sandbox/world.ts'
import type { HostedWorlds } from '../sandbox/world-host.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import { type DurationRange, durationOf, rangeOf } from '../time/duration.ts'
import {
  type AfterChanges,
  type Call,
  type Handlers,
  located,
  Reply,
  stateOf,
  toContent,
  type WorldsHandlers,
} from './call.ts'
import { controlPathOf, isWorldsPath } from './control-target.ts'
import { deliveryHandlers, whenSettled } from './deliveries.ts'
import { findNamed, unknownNameProblem, withLocation } from './errors.ts'
import { journalHandlers } from './journal.ts'
import { type ClockState, MOVED_BACK_NOTE } from './outputs.ts'
import { recordHandlers } from './records.ts'
import { signInHandlers } from './sign-in.ts'

/** The handlers of the operations on the worlds of a sandbox. */
const worldsHandlers: WorldsHandlers = {
  listWorlds: async (worlds) => (await worlds.list()).map(toInfo),

  listDroppedWorlds: (worlds) => worlds.dropped(),

  createWorld: async (worlds, { body: { name, ...from } }) => {
    const { info, isNew } = await worlds.create(name, from)
    return located(isNew ? 201 : 200, toInfo(info), controlPathOf(name))
  },

  // Not `async`: in memory, a request changes what it changes at once.
  removeWorld: (worlds, { path }) =>
    whenKnown(worlds.list(), (listed) => {
      findNamed('world', path.world, listed, ({ name }) => name)
      return whenKnown(worlds.delete(path.world), () => undefined)
    }),
}

/** The handlers of the operations on a world. */
const handlers: Handlers = {
  getIndex: ({ world, base }) => {
    const { title, operations } = contract
    const available = operations.filter(
      ({ path }) => world.name === 'default' || !isWorldsPath(path),
    )

    return {
      title,
      world: world.name,
      basePath: world.contract.basePath,
      document: `${base}/openapi.json`,
      operations: available.map(
        ({ method, path, summary }) => `${method} ${base}${path}: ${summary}`,
      ),
    }
  },

  getDocument: async () => {
    const { document } = await import('../generated/control-document.ts')
    const headers = { 'Content-Type': 'application/json' }
    return new Reply({ status: 200, headers, body: document })
  },

  getHealth: async ({ host, world }) => {
    await world.ready
    const { title, version, basePath } = world.contract

    return {
      status: 'ready',
      title,
      version,
      basePath,
      world: world.name,
      run: host.run,
      ...(stateOf(world).keys.acceptsAny && { anyCredential: true }),
      ...(host.isShared && { store: 'ready' }),
    }
  },

  reset: ({ world }) => {
    world.reset()
  },

  takeSnapshot: ({ world }) => world.snapshot(),

  restoreSnapshot: async ({ world, input: { body } }) => {
    await world.restore(body)
  },

  getClock: ({ world }) => toClockState(world),

  moveClock: ({ host, world, input: { body, query } }) => {
    const before = world.clock.now()
    const [field = ''] = Object.keys(body)
    withLocation(`body.${field}`, () => moveClock(world.clock, body))
    const isBack = world.clock.now() < before
    const moved = { ...toClockState(world), ...(isBack && { note: MOVED_BACK_NOTE }) }
    if (query.wait === undefined) return moved

    return whenSettled({ host, world }, query.wait, (deliveries) => ({ ...moved, deliveries }))
  },

  listOperations: async ({ world, input: { query }, document }) => {
    const handlers = countHandlers(stateOf(world))
    if (query.behaviours === false) return nameOperations(world.contract, handlers)
    const found = query.diagnostics ? await document.operationDiagnostics() : undefined
    const root = await document.document()
    await readResources(world.contract)
    const countOf = found && ((id: string) => found.get(id)?.length ?? 0)
    return listOperations(world.contract, {
      document: root,
      countOf,
      handlers,
    })
  },

  getOperation: async ({ world, input: { path, query }, document }) => {
    const id = path.operation
    const mistakes = query.diagnostics ? await document.operationDiagnostics() : undefined
    const diagnostics = mistakes?.get(id) ?? []
    const found = await document.documentation(id)
    const documentation = query.texts && found ? await withTexts(found) : found
    const details = operationDetails(world, id, {
      diagnostics,
      documentation,
      document: await document.document(),
      handlers: countHandlers(stateOf(world)),
    })
    if (details) return details
    const known = world.contract.operations.map((one) => one.id)
    throw unknownNameProblem('operation', id, known)
  },

  checkRequest: async ({ world, input: { path, body } }) => {
    const { operations } = world.contract
    const operation = findNamed('operation', path.operation, operations, ({ id }) => id)
    return { errors: await checkRequest(world, operation, body) }
  },

  sampleRequest: async ({ world, input: { path, query } }) => {
    const { operations } = world.contract
    const operation = findNamed('operation', path.operation, operations, ({ id }) => id)
    const any = stateOf(world).keys.acceptsAny ? ANY_KEY : undefined
    const { key = usableKey(world.keys) ?? any } = query
    const request = await sampleOperation(world, operation, operation.secured ? key : undefined)
    if (request) return request
    throw problems.notFound(`No valid request for ${path.operation} was found.`)
  },

  listOutcomes: ({ world }) => world.forced(),

  forceOutcome: async ({ world, base, input: { body } }) => {
    const { series, ...rule } = withRange(body, 'body')
    if (rule.event !== undefined) checkEvent(rule.event, world)
    const answers = series?.map((answer, at) =>
      typeof answer === 'object' ? withRange(answer, `body.series[${at}]`) : answer,
    )
    const forced = world.force({ ...rule, ...(answers && { series: answers }) })

    return located(201, forced, `${base}/outcomes/${forced.id}`)
  },

  clearOutcomes: ({ world }) => {
    world.unforce()
  },

  removeOutcome: ({ world, base, input: { path } }) => {
    const help = `No outcomes are forced. Force one with: pet-sandbox ctl force, or POST ${base}/outcomes.`
    findNamed('forced outcome', String(path.id), world.forced(), ({ id }) => String(id), help)
    world.unforce(path.id)
  },

  listScenarios: ({ world }) => world.scenarios,

  playScenario: async ({ world, input: { path } }) => {
    const scenario = findNamed('scenario', path.name, world.scenarios, ({ name }) => name)
    await world.play(path.name)
    return scenario
  },

  listPlans: ({ world }) => world.plans,

  setPlan: ({ world, input: { path, body } }) => {
    world.setPlan(path.plan, body)
    return findNamed('plan', path.plan, world.plans, ({ name }) => name)
  },

  listKeys: ({ world }) => world.keys,

  setKey: ({ world, input: { path, body } }) => {
    const isPlanKnown =
      body.plan === undefined || world.plans.some(({ name }) => name === body.plan)
    withLocation(isPlanKnown ? 'path.key' : 'body.plan', () => world.setKey(path.key, body))
    return findNamed('API key', path.key, world.keys, ({ key }) => key)
  },

  removeKey: ({ world, input: { path } }) => {
    findNamed('API key', path.key, world.keys, ({ key }) => key)
    world.removeKey(path.key)
  },

  listAccounts: ({ world }) => listAccounts(stateOf(world)),

  setRemaining: ({ world, input: { path, body } }) => {
    const state = stateOf(world)
    const caller = findAccount(state, path.account)
    setRemaining(state, caller, body)
    return describeAccount(state, caller)
  },

  liftBan: ({ world, input: { path } }) => {
    const state = stateOf(world)
    liftBan(state, findAccount(state, path.account))
  },

  ...recordHandlers,
  ...deliveryHandlers,
  ...signInHandlers,
  ...journalHandlers,
}

function toInfo(info: WorldInfo): WorldInfo & { readonly control: string } {
  return { ...info, control: controlPathOf(info.name) }
}

/** Moves the clock as the body says. The schema allows exactly one kind of move. */
/** A rule or an answer, whose latency is a duration or a range of durations. */
function withRange<Given extends { readonly latency?: string | number }>(
  { latency, ...given }: Given,
  place: string,
): Omit<Given, 'latency'> & { readonly latency?: DurationRange } {
  if (latency === undefined) return given
  return { ...given, latency: withLocation(`${place}.latency`, () => rangeOf(latency)) }
}

function moveClock(clock: World['clock'], to: Inputs['moveClock']['body']): void {
  if (to.set !== undefined) clock.set(to.set)
  if (to.advance !== undefined) clock.advance(durationOf(to.advance))
  if (to.freeze) clock.freeze()
  if (to.resume) clock.resume()
  if (to.advanceToReset !== undefined) clock.advanceToReset(to.advanceToReset)
  if (to.advanceToBanEnd !== undefined) clock.advanceToBanEnd(to.advanceToBanEnd)
  if (to.advanceToRemoval !== undefined) clock.advanceToRemoval(to.advanceToRemoval)
}

function toClockState({ clock }: World): ClockState {
  return { now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen }
}

/** Throws a UsageError for an event that never happens. */
function checkEvent(name: string, world: World): void {
  withLocation('body.event', () =>
    checkEventPattern(name, namedEvents(stateOf(world)), 'force a fault of deliveries'),
  )
}

/** The parser of texts is loaded when somebody reads them. */
async function withTexts(documentation: OperationDocumentation): Promise<OperationDocumentation> {
  const { textsOf } = await import('../document/commonmark.ts')
  return { ...documentation, texts: textsOf(documentation) }
}

/** The caller of an account. Throws a 404 for an unknown one. */
function findAccount(state: AccountState, name: string): Caller {
  const caller = findCaller(state, name)
  if (caller) return caller
  const known = listAccounts(state).map(({ account }) => account)
  throw unknownNameProblem('account', name, known, 'No account has sent a request yet.')
}

type Content = Awaitable<CoreResponse | Response | AfterChanges>

// The types of inputs are generated from the schemas that validated the input of a call.
const byOperation = new Map<string, (call: never) => unknown>(Object.entries(handlers))
const worldsByOperation = new Map<string, (worlds: HostedWorlds, input: never) => unknown>(
  Object.entries(worldsHandlers),
)

/** What answers the requests for an operation on a world. */
export function handlerOf({
  id,
}: Operation): (call: Omit<Call, 'input'> & { readonly input: Input }) => Content {
  const handler = byOperation.get(id)
  if (!handler) throw new TypeError(`${id} has no handler`)
  return (call) => whenKnown(handler(call as never), toContent)
}

/** What answers the requests for an operation on the worlds of a sandbox; `undefined` for another operation. */
export function worldsHandlerOf({
  id,
}: Operation): ((worlds: HostedWorlds, input: Input) => Content) | undefined {
  const handler = worldsByOperation.get(id)
  return handler && ((worlds, input) => whenKnown(handler(worlds, input as never), toContent))
}
