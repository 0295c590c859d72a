import { createRequire } from 'node:module'
import { Command, Option } from 'commander'
import type { Contract } from '../contract/contract.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Verification } from '../verify/verification.ts'
import { painter, printable, toJson } from './log.ts'
import { createProgress } from './verify/progress.ts'

const NOTES = `
Each check is a fact that the document states. Some of them the document decides where the API's specification leaves them open
(x-decision): with --no-decisions those are told apart, and fail no one. What was not asked is told as left out, with the
reason, not as passed.

Examples:
  export PET_SANDBOX_KEY=sk_live_…
  pet-sandbox verify https://api.example.com/v1                     reads alone, 60 requests at the most
  pet-sandbox verify https://staging.example.com/v1 --allow-writes  what creates and changes records, too
  pet-sandbox verify http://127.0.0.1:4010/v1 --allow-writes --exhaust               everything
  pet-sandbox verify https://api.example.com/v1 --twin              where this sandbox is unlike the service
  pet-sandbox verify https://api.example.com/v1 books.yaml          your own document
  pet-sandbox verify https://api.example.com/v1 --only "limit=101" --verbose

Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage, or a target that cannot be tested.`

/** `pet-sandbox verify`: contract tests against any server that claims to implement the document. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('test whether a server does what the document says')
    .argument('<base url>', 'the base address, as https://api.example.com/v1')
    .argument('[openapi]', `an OpenAPI document; the ${shippedContract.title} when left out`)
    .addOption(new Option('--key <key>', 'the API key').env('PET_SANDBOX_KEY'))
    .option('--budget <number>', 'requests at the most (default: 60; 200 with --exhaust)')
    .option('--allow-writes', 'create records, and change and remove those')
    .option('--exhaust', 'spend the quota to see what comes then; waits for the next minute')
    .option('--no-decisions', 'let the target decide what the specification leaves open')
    .option('--twin', 'ask a sandbox of the document the same, and list where the two differ')
    .option('--only <words>', 'only checks with all of these words, as "limit=101"')
    .option('--timeout <time>', 'for each answer (default: 10s)')
    .option('--verbose', 'list every check')
    .option('--json', 'tell the results as JSON, for programs')
    .option('--allow-remote-refs', 'let the document refer to other servers')
    .option('--allow-outside-refs', 'let the document refer to files outside its folder')
    .addHelpText('after', NOTES)
    .action(verifyTarget)
}

interface Options {
  readonly key?: string
  readonly budget?: string
  readonly allowWrites?: boolean
  readonly exhaust?: boolean
  readonly decisions?: boolean
  readonly twin?: boolean
  readonly only?: string
  readonly timeout?: string
  readonly verbose?: boolean
  readonly json?: boolean
  readonly allowRemoteRefs?: boolean
  readonly allowOutsideRefs?: boolean
}

async function verifyTarget(
  target: string,
  openapi: string | undefined,
  options: Options,
): Promise<void> {
  const { key, budget, allowWrites, exhaust, decisions, twin, only, timeout } = options
  const contract = await openContract(openapi, options)
  requireKey(contract, key)
  // Only who verifies loads it.
  const { verify } = await import('../verify/verify.ts')
  const { verificationLines } = await import('./verify/verification-lines.ts')
  const progress = createProgress(process.stderr)
  const given = {
    key,
    budget: budget === undefined ? undefined : numberOf(budget),
    writes: allowWrites,
    exhaust,
    decisions,
    twin,
    only,
    timeout,
  }
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const verification = await verify(target, contract, { ...set, onProgress: progress.tell })
  progress.end()
  const { json, verbose: isVerbose = false } = options
  const paint = painter(process.stdout, process.env)
  const lineOptions = { paint, isVerbose }
  const lines = json ? [toJson(verification)] : verificationLines(verification, lineOptions)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (!json && verification.unusable !== undefined) process.stderr.write(verdictLine(verification))
  process.exitCode = exitCodeOf(verification)
}

/** The shipped document is read anew: the contract that serves it knows nothing of headers and refusals. */
async function openContract(openapi: string | undefined, options: Options): Promise<Contract> {
  const { loadContract } = await import('../document/load-contract.ts')
  const file = openapi ?? createRequire(import.meta.url).resolve('pet-sandbox/openapi.yaml')

  return await loadContract(file, {
    remoteRefs: options.allowRemoteRefs ?? false,
    outsideRefs: options.allowOutsideRefs ?? false,
  })
}

/** An empty variable of the environment counts as none. */
function requireKey({ operations }: Contract, key: string | undefined): void {
  if (key || operations.every(({ secured }) => !secured)) return
  throw new UsageError({
    code: 'missing_key',
    task: 'verify the service',
    reason: 'the document requires an API key, and none was given',
    help: 'Add --key KEY, or set PET_SANDBOX_KEY.',
  })
}

function numberOf(text: string): unknown {
  return /^\d+$/.test(text) ? Number(text) : text
}

function verdictLine({ target, unusable = '' }: Verification): string {
  const end = unusable.endsWith('?') ? '' : '.'
  return `pet-sandbox: ${printable(`Cannot test ${target}: ${unusable}${end}`)}\n`
}

/** What tells nothing is not told to be fine. */
function exitCodeOf({ totals: { passed, failed, differs } }: Verification): number {
  if (passed + failed + differs === 0) return 2
  return failed > 0 ? 1 : 0
}
