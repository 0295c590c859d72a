import { Command, Option } from 'commander'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { plans as shippedPlans } from '../generated/fixtures.ts'
import { report } from '../report/report.ts'
import { UsageError } from '../validation/usage-error.ts'
import { collect } from './collect.ts'
import { type FoundAddress, findAddress, withOrigin } from './ctl/find-address.ts'
import { openContract } from './open-server.ts'
import { plans as readPlans } from './read-setting.ts'
import { type Choices, RULES_NOTE, toReportOptions, withChoices } from './report/choices.ts'
import { readRecording } from './report/read-file.ts'
import { readSandbox, type SandboxChoice } from './report/read-sandbox.ts'
import { checkAsked, type Recorded } from './report/recorded.ts'
import { writeReport } from './report/write-report.ts'

const NOTES = `${RULES_NOTE}

Examples:
  pet-sandbox report                                    on the sandbox of this folder's settings
  pet-sandbox report --fail-on warnings --min-coverage 80
  pet-sandbox report browser.har --plans                of the real service, as a browser recorded it
  pet-sandbox report job-1.json job-2.json --html report.html
                                                        several reports of parallel jobs as one

Exit codes: 0 the client behaved, 1 it did not, 2 wrong usage, or the sandbox cannot be reached.`

interface Options extends Choices, SandboxChoice {
  readonly openapi?: string
  /** Of `ctl`. Here it is only known for a hint. */
  readonly url?: string | true
  readonly config?: string
  readonly plan?: readonly string[]
  readonly allowRemoteRefs?: boolean
  readonly allowOutsideRefs?: boolean
}

/** `pet-sandbox report`: how the consumers of a sandbox, or of what recorded them, behaved. */
export function reportCommand(): Command {
  const command = new Command('report')
    .description('tell how a client behaved: waits, bans, deprecation, coverage, the plan it needs')
    .argument(
      '[sources...]',
      "a sandbox's address, .har files, reports as JSON; PET_SANDBOX_URL, else the sandbox at the host and port that serve would take, when left out",
    )
    .addOption(
      new Option('--token <token>', "the sandbox's, where this is another machine").env(
        'PET_SANDBOX_CONTROL_TOKEN',
      ),
    )
    .addOption(new Option('--url [address]').hideHelp())
    .option(
      '--config <file>',
      'where host and port are (default: pet-sandbox.config.yaml, .yml or .json)',
    )
    .option('--world <name>', 'a world of the sandbox; repeatable', collect)
    .option('--all-worlds', 'all of its worlds')
    .option(
      '--openapi <file>',
      `the document of the API; the ${shippedContract.title} when left out`,
    )
  withChoices(command)
    .option(
      '--plan <name=minute/day>',
      'a plan for --plans, over those there are; repeatable',
      collect,
    )
    .option('--allow-remote-refs', 'let the document refer to other servers')
    .option('--allow-outside-refs', 'let the document refer to files outside its folder')
    .addHelpText('after', NOTES)
    .action(async (sources: readonly string[], options: Options) => {
      process.exitCode = await reportOnSources(sources, options)
    })

  return command
}

async function reportOnSources(given: readonly string[], options: Options): Promise<number> {
  refuseUrl(options)
  const reportOptions = toReportOptions(options)
  const replayed =
    options.plans || options.plan ? { plans: readPlans(options.plan ?? [], '--plan') } : {}
  const named = given.filter((source) => source !== '')
  const found = named.length > 0 ? undefined : await findAddress(options.config)
  const sources = found ? [found.url] : named
  const contract = await openContract(options.openapi, {
    remoteRefs: options.allowRemoteRefs ?? false,
    outsideRefs: options.allowOutsideRefs ?? false,
  })
  const recorded = await Promise.all(
    found
      ? [readFound(found, contract, options)]
      : sources.map((source) => readSource(source, contract, options)),
  )
  checkAsked(sources, recorded, adviceFor(recorded))
  const told = report(
    recorded.flatMap(({ recordings }) => recordings),
    contract,
    { ...reportOptions, ...(replayed.plans && { plans: plansOf(recorded, replayed.plans) }) },
    recorded.flatMap(({ notices }) => notices),
  )

  return writeReport(told, options)
}

function refuseUrl({ url }: Options): void {
  if (url === undefined) return
  const address = url === true ? 'http://127.0.0.1:4010' : url
  throw new UsageError({
    code: 'unknown_option',
    task: 'use the option --url',
    reason: 'the command "report" takes the address as an argument',
    help: `Write: pet-sandbox report ${address}`,
  })
}

function readSource(source: string, contract: Contract, options: Options): Promise<Recorded> {
  return /^https?:/i.test(source)
    ? readSandbox(source, contract, options)
    : readRecording(source, contract)
}

/** Reads the sandbox at an address that was not given. */
function readFound(found: FoundAddress, contract: Contract, options: Options): Promise<Recorded> {
  return readSource(found.url, contract, options).catch((error: unknown) => {
    throw withOrigin(error, found)
  })
}

function adviceFor(recorded: readonly Recorded[]): string {
  const [notice] = recorded.flatMap(({ notices }) => notices)
  return notice ?? 'Run the client against it first; a reset empties the journal.'
}

/** The plans of the sandbox, else those that ship, with those of the command line over them. */
function plansOf(
  recorded: readonly Recorded[],
  given: NonNullable<ReturnType<typeof readPlans>>,
): readonly Plan[] {
  const shipped = Object.entries(shippedPlans).map(([name, plan]) => ({ name, ...plan }))
  const plans = new Map<string, Plan>()
  for (const plan of recorded.find((one) => one.plans)?.plans ?? shipped) plans.set(plan.name, plan)
  for (const [name, windows] of Object.entries(given)) {
    const known = plans.get(name)
    const { minute = known?.minute ?? 0, day = known?.day ?? 0 } = windows
    plans.set(name, { name, minute, day })
  }
  return [...plans.values()]
}
