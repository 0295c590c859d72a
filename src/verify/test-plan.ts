import type { Contract, Operation } from '../contract/contract.ts'
import { parseTemplate } from '../contract/path-pattern.ts'
import { type DocumentTexts, NO_TEXTS } from '../document/document-texts.ts'
import { groupBy } from '../validation/objects.ts'
import type { CheckDefinition } from './checks/check.ts'
import { derivedValueChecks } from './checks/derived-values.ts'
import { responseChecks } from './checks/response-checks.ts'
import { type EventCheck, sentEventChecks } from './checks/sent-events.ts'
import { keptInListChecks } from './checks/whole-list.ts'
import { writtenRecordChecks } from './checks/written-records.ts'
import type { Target } from './messages.ts'
import type { OperationSelection } from './operation-selection.ts'
import { kindOf } from './probe-choice.ts'
import {
  absentParentProbes,
  otherAncestorProbes,
  removedElsewhereProbes,
  removedParentProbes,
} from './probes/absent-parents.ts'
import { actionEffectProbes } from './probes/action-effects.ts'
import { actionProbes } from './probes/actions.ts'
import { authenticationProbes } from './probes/authentication.ts'
import { bulkActionProbes } from './probes/bulk-actions.ts'
import { capacityProbes } from './probes/capacities.ts'
import { changeProbes } from './probes/changes.ts'
import { childCountProbes, linkedListProbes, movedNumberProbes } from './probes/child-counts.ts'
import { conflictProbes } from './probes/conflicts.ts'
import {
  creationResponseChecks,
  defaultProbes,
  readOnlyProbes,
  writeOnlyChecks,
} from './probes/creation-responses.ts'
import { createProbes } from './probes/creations.ts'
import { entryProbes } from './probes/entries.ts'
import { expansionProbes } from './probes/expansions.ts'
import { filteredPageProbes, linkedQueryProbes } from './probes/filtered-pages.ts'
import { foreignReferenceProbes } from './probes/foreign-references.ts'
import { freedValueProbes } from './probes/freed-values.ts'
import { givenBackProbes, undoneProbes } from './probes/given-back.ts'
import { idempotencyProbes } from './probes/idempotency-keys.ts'
import { invalidBodyProbes, otherInvalidBodyProbes, variesBody } from './probes/invalid-bodies.ts'
import { headProbe, listProbes } from './probes/lists.ts'
import { mediaTypeProbes } from './probes/media-types.ts'
import { mergePatchProbes } from './probes/merge-patch.ts'
import { otherKeyProbes, privateRecordProbes } from './probes/other-key.ts'
import { lastLinkChecks, pageCountChecks, wholePageChecks } from './probes/page-figures.ts'
import { pageWalkProbes } from './probes/page-walks.ts'
import { pageProbes } from './probes/pages.ts'
import {
  nestedParameterProbes,
  parameterProbes,
  statedParameterProbes,
  validParameterProbes,
} from './probes/parameters.ts'
import { parentProbes } from './probes/parents.ts'
import { preconditionProbes } from './probes/preconditions.ts'
import { ORDER, type Probe } from './probes/probe.ts'
import { quotaChecks, quotaProbe } from './probes/quota.ts'
import { readProbes } from './probes/reads.ts'
import { locationProbes, selfLinkChecks } from './probes/record-links.ts'
import { recordListProbes } from './probes/record-lists.ts'
import { partRemovalProbes, recordPartProbes } from './probes/record-parts.ts'
import { invalidBodyStatusChecks, refusalProbes } from './probes/refusals.ts'
import { reportProbes } from './probes/reports.ts'
import { roleProbes } from './probes/roles.ts'
import { hiddenRecordChecks, selectedListProbes } from './probes/selected-lists.ts'
import { severalProbes } from './probes/several-records.ts'
import { shownPartProbes } from './probes/shown-parts.ts'
import { siblingProbes } from './probes/siblings.ts'
import { sortedListProbes } from './probes/sorted-lists.ts'
import { statedAmountProbes } from './probes/stated-amounts.ts'
import { statedConflictProbes } from './probes/stated-conflicts.ts'
import { statedDefaultProbes } from './probes/stated-defaults.ts'
import { statedInputProbes } from './probes/stated-inputs.ts'
import { statedMisfitProbes } from './probes/stated-misfits.ts'
import { statedNumberProbes } from './probes/stated-numbers.ts'
import { statedOnceProbes } from './probes/stated-once.ts'
import { statedOrderProbes } from './probes/stated-orders.ts'
import { statedOutcomeProbes } from './probes/stated-outcomes.ts'
import { statedRelationProbes } from './probes/stated-relations.ts'
import { readingProbes, storyProbes } from './probes/stories.ts'
import { summaryProbes } from './probes/summaries.ts'
import { textSetProbes } from './probes/text-sets.ts'
import { unknownRouteProbes } from './probes/unknown-routes.ts'
import { updateTimeProbes } from './probes/update-times.ts'
import { validBodyProbes } from './probes/valid-bodies.ts'
import {
  fallbackProbe,
  knownRecordProbes,
  needsNoInput,
  statelessProbe,
} from './probes/valid-requests.ts'
import { type GroupedOperations, groupByResource } from './resource-operations.ts'
import type { VerifySettings } from './session/options.ts'
import type { Session } from './session/session.ts'

/** The probes and checks for a contract. */
export interface TestPlan {
  /** In the order in which they are sent. */
  readonly probes: readonly Probe[]
  /** Checks that evaluate the responses of all probes together. */
  readonly checksOfAllResponses: readonly CheckDefinition[]
  /** Checks of what the service sends by itself. */
  readonly checksOfEvents: readonly EventCheck[]
}

/** The probes and checks of the selected operations, and the lists that they need. */
export function createTestPlan(
  { contract, otherKey, texts = NO_TEXTS }: Pick<Target, 'contract' | 'otherKey' | 'texts'>,
  selection: OperationSelection,
): TestPlan {
  const groups = groupByResource(contract)
  const lists = groups.simple.flatMap(({ operations: { list } }) => (list ? [list] : []))
  const withoutResource = new Set(groups.general)
  const bound = contract.operations.filter((operation) => !withoutResource.has(operation))
  const shadowed = new Set(
    [...shadowedOperations(contract), ...signInOperations(contract)].map(({ id }) => id),
  )
  const isReachable = ({ operation }: CheckDefinition): boolean => !shadowed.has(operation ?? '')
  const quota = quotaChecks(contract)
  const [first] = lists
  const probes = [
    ...simpleProbes(groups),
    ...lists.flatMap((list) => [...parameterProbes(list), headProbe(list)]),
    ...recordProbes(groups, contract, texts),
    ...generalProbes(groups, contract),
    ...describedProbes(groups, contract, texts, otherKey !== undefined),
    ...textSetProbes(contract),
    ...groups.all.flatMap((group) => entryProbes(group, contract, texts)),
    ...partRemovalProbes(contract),
    ...mediaTypeProbes(contract),
    ...authenticationProbes(contract, texts),
    ...(otherKey === undefined
      ? []
      : [
          ...otherKeyProbes(contract, texts),
          ...roleProbes(contract, texts),
          ...groups.all.flatMap((group) => [
            ...foreignReferenceProbes(group, contract, texts),
            ...privateRecordProbes(group, texts),
          ]),
        ]),
    ...groups.all.flatMap((group) =>
      shownPartProbes(group, contract, texts, otherKey !== undefined),
    ),
    ...bound.map(fallbackProbe),
    ...knownRecordProbes(contract),
    ...unknownRouteProbes(contract, groups),
    ...(first && quota.length > 0 ? [quotaProbe(first)] : []),
  ]

  return {
    probes: probes
      .filter(({ checks }) => checks.length > 0 && checks.every(isReachable))
      .filter((probe) => isWanted(probe, contract, selection))
      .sort((one, other) => one.order - other.order),
    checksOfAllResponses: [...checksOfAll(groups, contract, texts), ...quota].filter(
      ({ operation }) => isTested(operation, selection),
    ),
    checksOfEvents: sentEventChecks(contract),
  }
}

/** What is judged by all responses of a run together. */
function checksOfAll(
  { all }: GroupedOperations,
  contract: Contract,
  texts: DocumentTexts,
): CheckDefinition[] {
  return [
    ...responseChecks(contract),
    ...(texts === NO_TEXTS ? [] : derivedValueChecks(contract, texts)),
    ...all.flatMap((group) => [
      ...creationResponseChecks(group),
      ...writeOnlyChecks(group),
      ...selfLinkChecks(group),
      ...writtenRecordChecks(group),
      ...hiddenRecordChecks(group, texts),
      ...pageCountChecks(group),
      ...wholePageChecks(group),
      ...lastLinkChecks(group),
      ...keptInListChecks(group, texts),
    ]),
    ...invalidBodyStatusChecks(contract, texts),
  ]
}

/** What only resources with simple paths and messages get. */
function simpleProbes({ simple }: GroupedOperations): Probe[] {
  return simple.flatMap((group) => [
    ...listProbes(group),
    ...pageProbes(group),
    ...readProbes(group),
    ...createProbes(group),
    ...changeProbes(group),
  ])
}

/** What all resources get, and what the others get instead of the probes of simple ones. */
function recordProbes(
  { others, all }: GroupedOperations,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return all.flatMap((group) => {
    const isSimple = !others.includes(group)
    return [
      ...(isSimple
        ? []
        : [...readingProbes(group), ...storyProbes(group, texts), ...invalidBodyProbes(group)]),
      ...validBodyProbes(group, isSimple, texts),
      ...readOnlyProbes(group),
      ...defaultProbes(group),
      ...siblingProbes(group, texts),
      ...statedInputProbes(group, texts),
      ...statedOrderProbes(group, texts),
      ...statedOnceProbes(group, texts),
      ...statedDefaultProbes(group, contract, texts),
      ...conflictProbes(group, texts),
      ...freedValueProbes(group, texts),
      ...idempotencyProbes(group),
      ...mergePatchProbes(group),
      ...expansionProbes(group),
      ...updateTimeProbes(group, texts),
      ...preconditionProbes(group),
      ...(group.bindings.list ? nestedParameterProbes(group.bindings.list) : []),
      ...statedParameterProbes(group, texts),
      ...pageWalkProbes(group, texts),
      ...selectedListProbes(group, isSimple, texts),
      ...filteredPageProbes(group),
      ...linkedQueryProbes(group),
      ...sortedListProbes(group, texts),
      ...parentProbes(group, contract, texts),
      ...removedParentProbes(group, contract, texts),
      ...otherAncestorProbes(group),
      ...actionProbes(group, texts),
      ...actionEffectProbes(group, texts),
      ...severalProbes(group, contract),
      ...bulkActionProbes(group, contract),
      ...locationProbes(group),
      ...childCountProbes(group, contract, texts),
      ...recordListProbes(group, contract),
      ...recordPartProbes(group, contract),
    ]
  })
}

/** What the descriptions of several resources say together. */
function describedProbes(
  { all }: GroupedOperations,
  contract: Contract,
  texts: DocumentTexts,
  hasOtherKey: boolean,
): Probe[] {
  return [
    ...absentParentProbes(contract, texts),
    ...statedConflictProbes(all, contract, texts),
    ...statedRelationProbes(all, contract, texts),
    ...statedOutcomeProbes(all, contract, texts),
    ...statedNumberProbes(all, contract, texts),
    ...movedNumberProbes(all, contract, texts),
    ...givenBackProbes(all, texts),
    ...undoneProbes(all, texts),
    ...capacityProbes(all, contract, texts),
    ...statedAmountProbes(all, contract, texts),
    ...statedMisfitProbes(all, contract, texts),
    ...linkedListProbes(all, contract, texts),
    ...summaryProbes(all, contract, texts, hasOtherKey),
    ...removedElsewhereProbes(all, contract, texts),
    ...reportProbes(contract, texts),
  ]
}

/** What operations get that are on no simple resource. */
function generalProbes({ others, general }: GroupedOperations, contract: Contract): Probe[] {
  const varied = others.flatMap(({ bindings: { create, update, replace } }) =>
    [create, update, replace].flatMap((one) => (one && variesBody(one) ? one.operation : [])),
  )
  return [
    ...general.map(statelessProbe),
    ...general
      .filter(needsNoInput)
      .flatMap((one) => [...parameterProbes(one), ...validParameterProbes(one)]),
    ...refusalProbes(general, contract, new Set(varied)),
    ...general.filter((one) => !varied.includes(one)).flatMap(otherInvalidBodyProbes),
  ]
}

/** Whether a probe has a check of a tested operation, or lists records for one. */
function isWanted(
  { checks, isPrerequisite }: Probe,
  { operations }: Contract,
  selection: OperationSelection,
): boolean {
  if (checks.some(({ operation }) => isTested(operation, selection))) return true
  const list = isPrerequisite ? operations.find(({ id }) => id === checks[0]?.operation) : undefined
  return list !== undefined && [...selection.tested].some((one) => isBelow(list, one))
}

/** Whether the path of an operation is that of a list, or is below it. */
function isBelow(list: Operation, { path }: Operation): boolean {
  return path === list.path || path.startsWith(`${list.path.replace(/\/$/, '')}/`)
}

function isTested(operation: string | undefined, selection: OperationSelection): boolean {
  if (operation === undefined) return !selection.isPart
  return [...selection.tested].some(({ id }) => id === operation)
}

/** Decides which probes are sent: those that the user allows, and the budget. */
export class ProbeSelection {
  readonly #settings: VerifySettings
  /** The operations that later probes can exercise. */
  readonly #open = new Set<Operation>()

  constructor(probes: readonly Probe[], settings: VerifySettings) {
    this.#settings = settings
    for (const { exercises, requires } of probes) {
      if (exercises && missingPermission(requires, settings) === undefined)
        this.#open.add(exercises)
    }
  }

  /** Whether a probe is not needed, because an earlier one has exercised its operation. */
  isDone({ isFallback, exercises }: Probe, { exercised }: Session): boolean {
    return isFallback === true && exercises !== undefined && exercised.has(exercises)
  }

  /** `undefined` when the probe can be sent. */
  reasonToLeaveOut(probe: Probe, session: Session): string | undefined {
    const { budget } = this.#settings
    const forbidden = reasonToForbid(probe, this.#settings)
    if (forbidden !== undefined) return forbidden
    if (probe.maxRequests + this.#reservedFor(probe, session) > session.remainingBudget) {
      const reason = `the budget of ${budget} requests is used up`
      return probe.exercises ? reason : `${reason}: ${kindOf(probe)}`
    }
    return undefined
  }

  /** Notes that a probe was sent or left out. */
  end({ exercises }: Probe): void {
    if (exercises) this.#open.delete(exercises)
  }

  /** The number of requests that a probe must leave to those that exercise other operations. */
  #reservedFor({ order, exercises }: Probe, { exercised }: Session): number {
    if (exercises || order <= ORDER.create) return 0
    for (const operation of this.#open) if (exercised.has(operation)) this.#open.delete(operation)
    return this.#open.size
  }
}

/** Why the user does not allow a probe; `undefined` when nothing forbids it. */
export function reasonToForbid(
  { requires, checks }: Probe,
  settings: VerifySettings,
): string | undefined {
  const permission = missingPermission(requires, settings)
  if (permission !== undefined) return permission
  const { decisions, twin } = settings
  return !decisions && !twin && checks.every(({ decision }) => decision)
    ? 'a decision that the document need not make (x-decision), needs --decisions'
    : undefined
}

export const NEEDS_WRITES = 'can change records, needs --allow-writes'

function missingPermission(
  requires: Probe['requires'],
  { writes, exhaust }: VerifySettings,
): string | undefined {
  if (requires === 'writes' && !writes) return NEEDS_WRITES
  if (requires === 'exhaust' && !exhaust) return 'uses up the quota, needs --exhaust'
  return undefined
}

/** Operations that no request can reach, because an earlier one has the same method, and the same path but for names. */
export function shadowedOperations({ operations }: Contract): readonly Operation[] {
  const groups = groupBy(operations, ({ method, path, basePaths = [], conditions = [] }) =>
    JSON.stringify([method, parseTemplate(path).literals, basePaths, conditions]),
  )
  return [...groups.values()].flatMap(([, ...shadowed]) => shadowed)
}

/** Operations that are endpoints of sign-in: what they accept depends on clients that only the service knows. */
export function signInOperations({ operations }: Contract): readonly Operation[] {
  return operations.filter(
    ({ signIn, path }) => (signIn === 'authorize' || signIn === 'token') && !path.includes('{'),
  )
}
