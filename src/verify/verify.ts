import type { Contract } from '../contract/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Target } from './messages.ts'
import { selectOperations } from './operation-selection.ts'
import { type Preview, plannedRequests } from './preview.ts'
import { neededBudget } from './probe-choice.ts'
import { referenceService } from './reference-sandbox.ts'
import { hasWords, Run } from './run.ts'
import { baseOf, toSettings, type VerifyOptions, type VerifySettings } from './session/options.ts'
import { createTestPlan, reasonToForbid, type TestPlan } from './test-plan.ts'
import type { Verification } from './verification.ts'

/**
 * Tests whether the server at a base address implements a contract. Never throws because of the server; throws a
 * `UsageError` for invalid options.
 */
export async function verify(
  target: string,
  contract: Contract,
  options: VerifyOptions = {},
): Promise<Verification> {
  const base = baseOf(target)
  const settings = toSettings(options)

  return await createRun(targetOf(base, contract, settings), settings).execute()
}

/**
 * The requests that {@link verify} would send, in their order. Sends none of them: a sandbox of the document answers instead of the
 * server, whose answers may lead to other requests. Throws a `UsageError` for invalid options.
 */
export async function preview(
  target: string,
  contract: Contract,
  options: VerifyOptions = {},
): Promise<Preview> {
  const base = baseOf(target)
  const { fetch, now, sleep, ...service } = referenceService(contract)
  const settings = toSettings({
    ...options,
    ...{ fetch, now, sleep, twin: false, states: {}, concurrency: 1, listen: undefined },
  })
  const run = createRun({ ...targetOf(base, contract, settings), ...service }, settings)
  const { contract: name, changes } = await run.execute()

  return {
    target: base,
    contract: name,
    changes,
    requests: plannedRequests(run.responses, service.base, base),
  }
}

function targetOf(
  base: string,
  contract: Contract,
  { key, otherKey, headers, secrets, texts }: VerifySettings,
): Target {
  return {
    base,
    contract,
    texts,
    key,
    secrets,
    headers: Object.entries(headers),
    ...(otherKey !== '' && { otherKey }),
  }
}

function createRun(target: Target, settings: VerifySettings): Run {
  const selection = selectOperations(target.contract, settings.only, settings.exclude)
  const plan = createTestPlan(target, selection)
  requireSelectedCheck(plan, settings.check)

  const allowed = plan.probes.filter((one) => reasonToForbid(one, settings) === undefined)
  const budget =
    settings.budget || neededBudget(allowed, target.contract.operations.length, settings)

  return new Run(target, { ...settings, budget }, plan, selection)
}

/** Throws a `UsageError` when no check of a plan has the words. */
function requireSelectedCheck(plan: TestPlan, words: string): void {
  const { probes, checksOfAllResponses, checksOfEvents } = plan
  const checks = [
    ...probes.flatMap((probe) => probe.checks),
    ...checksOfAllResponses,
    ...checksOfEvents,
  ]
  if (checks.some((check) => hasWords(check, words))) return
  throw new UsageError({
    code: 'no_check',
    task: `evaluate the checks "${words}"`,
    reason: 'no check has these words',
    help: 'Use words of the checks that --verbose lists.',
  })
}
