import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { Command } from 'commander'
import type { Contract } from '../contract/contract.ts'
import type { DocumentTexts } from '../document/document-texts.ts'
import { asUsageError, type Mistake, Mistakes } from '../document/mistake.ts'
import { version } from '../generated/package.ts'
import type { GivenInput } from '../requests/operation-input.ts'
import { resourcesIn } from '../resources/bind.ts'
import { givenCollection } from '../resources/first-records/given-records.ts'
import { isObject } from '../validation/objects.ts'
import { count } from '../validation/usage-error.ts'
import type { JudgedVerification } from '../verify/output/judged.ts'
import type { Progress, RunStart, VerifyOptions } from '../verify/session/options.ts'
import { totalsOf, type Verification } from '../verify/verification.ts'
import type { DataTable } from './data.ts'
import {
  addDocumentOptions,
  collect,
  DOCUMENT_ARGUMENT,
  type DocumentFlags,
  loadOptions,
} from './setting-options.ts'
import { type Output, painter, printable, toJsonLine } from './terminal.ts'
import { addKeyOptions, type KeyFlags, readKeyFlags, requireKey } from './verify-keys.ts'
import { type OAuthFlags, signInAsClient, tokenEndpointOf } from './verify-oauth.ts'
import {
  addVerifyOutputOptions,
  isPiped,
  readJudgeOptions,
  type VerifyOutputFlags,
  writeVerification,
} from './verify-output.ts'
import { addSetupOptions, type SetupFlags, withSetup } from './verify-setup.ts'

const NOTES = `
Each check is a promise of the document. Decisions, which the document marks with x-decision or OpenAPI leaves open, do not fail
without --decisions: where the server made another one, it is listed separately. Checks that were not run are listed as left out, with the reason.

With --allow-writes, a run changes only records that it created. It creates records in collections, and below a parent that it
created or that --data names. It removes them at the end where the document has an operation for it, also after Ctrl+C, and lists
what is left. --dry-run shows the requests without sending them.

--only and --exclude take the id of an operation, a method, a tag, a path such as "/users/**", or a method and a path.

Examples:
  export PET_SANDBOX_KEY=sk_live_…
  pet-sandbox verify https://api.example.com/v1                     only reads
  pet-sandbox verify https://staging.example.com/v1 --allow-writes  also creates records, and changes what it created
  pet-sandbox verify http://127.0.0.1:4010/v1 --allow-writes --exhaust               all checks
  pet-sandbox verify https://api.example.com/v1 --twin              differences between sandbox and service
  pet-sandbox verify https://api.example.com/v1 books.yaml          your own document
  pet-sandbox verify https://staging.example.com/v1 --allow-writes --dry-run         the requests that it would send
  pet-sandbox verify https://staging.example.com/v1 --allow-writes --exclude "DELETE /users/**"
  pet-sandbox verify https://api.example.com/v1 --check "limit=101" --verbose
  pet-sandbox verify http://127.0.0.1:4010/v1 --allow-writes --fuzz 1000             random requests, and the shortest ones that fail

Exit codes:
  0  no check failed, or only accepted ones and those that --fail-on leaves out
  1  a check failed
  2  wrong usage, or the server cannot be tested`

/** `pet-sandbox verify`: contract tests for any server that implements the document. */
export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('test whether a server keeps the promises of the document')
    .argument('<base url>', 'base address, for example https://api.example.com/v1')
    .argument('[openapi]', DOCUMENT_ARGUMENT)

  return addDocumentOptions(
    addVerifyOutputOptions(addSetupOptions(addPaceOptions(addRunOptions(command)))),
  )
    .addHelpText('after', NOTES)
    .action(verifyTarget)
}

/** Adds the options for what a run sends. */
function addRunOptions(command: Command): Command {
  return addKeyOptions(command)
    .option(
      '--budget <number>',
      'maximum number of requests (default: as many as all checks need, at most 80 for each operation)',
    )
    .option(
      '--allow-writes',
      'also create records, and change and remove those that the run created',
    )
    .option(
      '--allow-changes',
      'also change what exists once, such as settings, and restore it; needs --allow-writes',
    )
    .option('--dry-run', 'show the requests in their order, and send none')
    .option(
      '--only <operation>',
      'test only operations with this id, method, tag or path; repeatable',
      collect,
    )
    .option(
      '--exclude <operation>',
      'send nothing to operations with this id, method, tag or path; repeatable',
      collect,
    )
    .option(
      '--data <path>',
      'records below which the run may create others, and values for requests: a file or a folder; repeatable',
      collect,
    )
    .option(
      '--fuzz <number>',
      'also send so many random requests, in sequences, and find the shortest ones that fail',
    )
    .option('--seed <number>', 'seed of the random requests (default: a random one)')
    .option('--exhaust', 'also exhaust the quota of a minute and wait for the next minute')
    .option(
      '--decisions',
      'also fail checks of decisions (x-decision), and of what OpenAPI leaves open',
    )
    .option('--twin', 'send the same requests to a sandbox and list the differences')
    .option('--check <words>', 'run only checks with all of these words, for example "limit=101"')
    .option('--verbose', 'list all checks')
}

/** Adds the options for how fast a run sends, and how long it waits. */
function addPaceOptions(command: Command): Command {
  return command
    .option(
      '--concurrency <number>',
      'requests at once, to collections that have nothing to do with each other (default: 1)',
    )
    .option('--timeout <time>', 'timeout of each response (default: 10s)')
    .option(
      '--max-wait <time>',
      'how long the run waits for new quota (default: 65s, 5m with --exhaust)',
    )
    .option('--time-limit <time>', 'how long the run sends new checks (default: no limit)')
}

interface Options extends DocumentFlags, KeyFlags, OAuthFlags, SetupFlags, VerifyOutputFlags {
  readonly budget?: string
  readonly concurrency?: string
  readonly allowWrites?: boolean
  readonly data?: readonly string[]
  readonly exhaust?: boolean
  readonly fuzz?: string
  readonly seed?: string
  readonly decisions?: boolean
  readonly twin?: boolean
  readonly allowChanges?: boolean
  readonly dryRun?: boolean
  readonly only?: readonly string[]
  readonly exclude?: readonly string[]
  readonly check?: string
  readonly timeLimit?: string
  readonly timeout?: string
  readonly maxWait?: string
  readonly verbose?: boolean
}

async function verifyTarget(
  target: string,
  openapi: string | undefined,
  options: Options,
): Promise<void> {
  if (options.dryRun) return await showPreview(target, openapi, options)
  const stop = stopOnSignal(process.stderr)
  await withSetup(target, options, stop.signal, (prepared) =>
    runAndWrite(target, openapi, options, { stop, prepared }),
  ).finally(stop.end)
}

async function showPreview(
  target: string,
  openapi: string | undefined,
  options: Options,
): Promise<void> {
  const { contract, texts } = await openContract(openapi, options)
  const { preview } = await import('../verify/verify.ts')
  const { previewLines } = await import('./verification-lines.ts')
  const token = tokenEndpointOf(target, contract, options)?.url
  const found = await preview(target, contract, {
    ...(await verifyOptions(options, contract)),
    texts,
  })
  const shown = { ...found, ...(token !== undefined && { token }) }
  write(options.json === undefined ? previewLines(shown, painter()) : [toJsonLine(shown)])
}

/** What a run has besides its options. */
interface RunParts {
  readonly stop: StopOnSignal
  /** What `--setup` prepared. */
  readonly prepared: VerifyOptions
}

async function runAndWrite(
  target: string,
  openapi: string | undefined,
  options: Options,
  { stop, prepared }: RunParts,
): Promise<void> {
  const { contract, texts } = await openContract(openapi, options)
  // Loaded here, because no other command needs it.
  const verifier = await import('../verify/verify.ts')
  const { listenForEvents } = await import('./event-receiver.ts')
  const { startLines, verificationLines } = await import('./verification-lines.ts')
  const { json, verbose: isVerbose = false } = options
  const paint = painter()
  const set = withPrepared(await verifyOptions(options, contract), prepared)
  const judgeOptions = await readJudgeOptions(options)
  const signedIn = await signInAsClient(target, contract, options, set.key)
  requireKey(contract, signedIn.key ?? set.key)
  const progress = createProgress(process.stderr)
  // What is written to the standard output is for programs.
  let isStartShown = isPiped(options)
  const showStart = (start: RunStart): void => {
    if (!isStartShown) write(startLines(start, paint))
    isStartShown = true
  }
  const verification = await verifier
    .verify(target, contract, {
      ...set,
      ...signedIn,
      texts,
      listen: listenForEvents,
      signal: stop.signal,
      onProgress: (step) => {
        if (step.kind !== 'start') progress.show(step)
        // A run that changes nothing says nothing about a server that cannot be tested.
        else if (changesSomething(step)) showStart(step)
      },
    })
    .finally(stop.end)
  progress.end()
  if (verification.unusable === undefined) showStart(verification)
  const { judge, judgementLines } = await import('../verify/output/judged.ts')
  const judged = judge(verification, judgeOptions)
  const notes = judgementLines(judged)
  const isTested = judged.verdict !== 'not-tested'
  const lines = verificationLines(withoutAccepted(judged), { paint, isVerbose, notes, isTested })
  const exitCode = await writeVerification(judged, options, lines, { version, openapi })
  if (json !== true && verification.unusable !== undefined)
    process.stderr.write(verdictLine(verification))
  process.exitCode = stop.exitCode() ?? exitCode
}

function write(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** What `setUp` returned comes before options, and adds to the records and requests of `--data`. */
function withPrepared(options: VerifyOptions, prepared: VerifyOptions): VerifyOptions {
  const { data, requests, headers } = options
  return {
    ...options,
    ...prepared,
    data: { ...data, ...prepared.data },
    requests: { ...requests, ...prepared.requests },
    headers: { ...headers, ...prepared.headers },
  }
}

function changesSomething({ changes: { creations, settings } }: RunStart): boolean {
  return creations.length + settings.length > 0
}

/** The options of a run that are given. */
async function verifyOptions(options: Options, contract: Contract): Promise<VerifyOptions> {
  const { budget, allowWrites: writes, allowChanges: changes, data, exhaust } = options
  const { decisions, twin, only, exclude, check, timeout, timeLimit, maxWait, fuzz, seed } = options
  const given = {
    ...{ writes, changes, exhaust, decisions, twin, only, exclude, check },
    ...readKeyFlags(options, contract),
    ...{ timeout, timeLimit, maxWait },
    ...{
      concurrency: numberIn(options.concurrency),
      budget: numberIn(budget),
      fuzz: numberIn(fuzz),
      seed: numberIn(seed),
    },
    ...(data && (await readData(data, contract))),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** A number as such; other text as it is, so that the option is refused. */
function numberIn(text: string | undefined): number | string | undefined {
  return /^\d+$/.test(text ?? '') ? Number(text) : text
}

/** Ends a run on the first SIGINT or SIGTERM, so that it removes what it created. A second signal ends the process at once. */
interface StopOnSignal {
  readonly signal: AbortSignal
  /** The exit code after a signal. */
  readonly exitCode: () => number | undefined
  /** Ignores later signals. */
  readonly end: () => void
}

function stopOnSignal(output: Pick<Output, 'write'>): StopOnSignal {
  const controller = new AbortController()
  let exitCode: number | undefined
  const end = (): void => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    exitCode = 128 + constants.signals[signal]
    end()
    output.write(
      '\npet-sandbox: stopping, and removing what the run created. Ctrl+C again ends at once.\n',
    )
    controller.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)

  return { signal: controller.signal, exitCode: () => exitCode, end }
}

/** Loads the document, also the shipped one: the shipped contract contains no headers and no error responses. */
async function openContract(
  openapi: string | undefined,
  options: Options,
): Promise<{ readonly contract: Contract; readonly texts: DocumentTexts }> {
  const { loadDocument } = await import('../document/load-document.ts')
  const { createTexts } = await import('../document/document-texts.ts')
  const file = openapi ?? createRequire(import.meta.url).resolve('pet-sandbox/openapi.yaml')
  const { contract, document } = await loadDocument(file, loadOptions(options))

  return { contract, texts: createTexts(await document()) }
}

/** The records of files by the names of their collections, and the values for requests by the names of their operations. */
async function readData(
  paths: readonly string[],
  contract: Contract,
): Promise<Required<Pick<VerifyOptions, 'data' | 'requests'>>> {
  const resources = resourcesIn(contract)
  const records: Record<string, unknown[]> = {}
  const requests: Record<string, GivenInput> = {}
  for (const { collection: name, value, rows } of await tablesOf(paths)) {
    // The only record of a collection may have a body, too.
    const isCollection = givenCollection(name, resources, contract) !== undefined
    if (isGivenInput(value) && !isCollection) requests[name] = value
    else records[name] = [...(records[name] ?? []), ...rows]
  }
  return { data: records, requests }
}

async function tablesOf(paths: readonly string[]): Promise<readonly DataTable[]> {
  const { readTables } = await import('./data.ts')
  const mistakes: Mistake[] = []
  const tables = await readTables(paths, mistakes)
  if (mistakes.length > 0)
    throw asUsageError(paths.join(', '), new Mistakes(mistakes), 'invalid_records')

  return tables
}

/** Whether a value of a file is about a request: an object with a body or parameters, and nothing else. */
function isGivenInput(value: unknown): value is GivenInput {
  const names = isObject(value) ? Object.keys(value) : []
  return names.length > 0 && names.every((name) => name === 'body' || name === 'parameters')
}

function verdictLine({ target, unusable = '' }: Verification): string {
  const end = unusable.endsWith('?') ? '' : '.'
  return `pet-sandbox: ${printable(`Cannot test ${target}: ${unusable}${end}`)}\n`
}

/** What the terminal shows: accepted findings are told apart from failed checks. */
function withoutAccepted(judged: JudgedVerification): Verification {
  const accepted = new Set(judged.findings.flatMap((one) => (one.accepted ? [one.check] : [])))
  const checks = judged.checks.filter(({ id }) => !accepted.has(id))

  return { ...judged, checks, totals: totalsOf(checks) }
}

type Step = Exclude<Progress, { kind: 'start' }>

/** Shows the progress of a run. */
interface ProgressLine {
  readonly show: (progress: Step) => void
  /** Removes the line from a terminal. */
  readonly end: () => void
}

const CLEAR = '\r\u001b[K'

/** On a terminal: one line that is updated. Elsewhere: a line for each wait, so that a log explains the pause. */
export function createProgress(output: Output): ProgressLine {
  if (!output.isTTY) {
    return {
      show: (progress) => {
        if (progress.kind === 'wait') output.write(`pet-sandbox: ${waiting(progress)}\n`)
      },
      end: () => undefined,
    }
  }
  return {
    show: (progress) => {
      const text = progress.kind === 'wait' ? waiting(progress) : requestsSent(progress)
      output.write(`${CLEAR}${text}`)
    },
    end: () => output.write(CLEAR),
  }
}

function requestsSent(progress: Extract<Progress, { kind: 'request' }>): string {
  const { sent, budget, exercised, operations, findings } = progress
  const found = count(findings, 'finding')
  return `${sent} of at most ${budget} requests sent, ${exercised} of ${operations} operations, ${found}`
}

function waiting({ milliseconds, why }: Extract<Progress, { kind: 'wait' }>): string {
  return `waiting ${Math.ceil(milliseconds / 1000)} s: ${why}`
}
