import { Command, Option } from 'commander'
import type { Plan } from '../access/callers.ts'
import type { Contract } from '../contract/contract.ts'
import { report } from '../report/report.ts'
import { UsageError } from '../validation/usage-error.ts'
import { findAddress, withOrigin } from './ctl/find-address.ts'
import { openDocument } from './open-document.ts'
import {
  isAddress,
  type RecordedTraffic,
  readRecording,
  readSandbox,
  rejectEmptyTraffic,
  type SandboxSelection,
  servedDocument,
} from './recorded-traffic.ts'
import {
  addReportOptions,
  type ReportFlags,
  RULES_NOTE,
  toReportOptions,
  writeReport,
} from './report-output.ts'
import {
  addDocumentOptions,
  collect,
  DOCUMENT_ARGUMENT,
  type DocumentFlags,
  loadOptions,
} from './setting-options.ts'
import { plans as readPlans } from './setting-values.ts'

const NOTES = `${RULES_NOTE}

Examples:
  pet-sandbox report                                    the sandbox of the settings in this folder
  pet-sandbox report --fail-on warnings --min-coverage 80
  pet-sandbox report browser.har --plans                a browser's recording of the real service
  pet-sandbox report job-1.json job-2.json --html report.html
                                                        merge the reports of parallel jobs

Exit codes:
  0  the client behaved well
  1  the report failed
  2  wrong usage, or the sandbox cannot be reached`

interface Options extends ReportFlags, SandboxSelection, DocumentFlags {
  readonly openapi?: string
  /** An option of `ctl`, known here only for a better error message. */
  readonly url?: string | true
  readonly config?: string
  readonly plan?: readonly string[]
}

/** `pet-sandbox report`: reports how the clients in recorded requests behaved. */
export function reportCommand(): Command {
  const command = new Command('report')
    .description('report how a client behaved: retries, bans, deprecation, coverage, required plan')
    .argument(
      '[sources...]',
      'address of a sandbox, .har files or JSON reports (default: PET_SANDBOX_URL, otherwise the host and port of "serve")',
    )
    .addOption(
      new Option('--token <token>', 'control token, required from other machines').env(
        'PET_SANDBOX_CONTROL_TOKEN',
      ),
    )
    .addOption(new Option('--url [address]').hideHelp())
    .option(
      '--config <file>',
      'file with host and port (default: pet-sandbox.config.yaml, .yml or .json)',
    )
    .option('--world <name>', 'world to report on; repeatable', collect)
    .option('--all-worlds', 'report on all worlds')
    .option('--openapi <document>', DOCUMENT_ARGUMENT)
    .option(
      '--base-path <path>',
      'path of all operations in the recorded URLs (default: from the document)',
    )
  addReportOptions(command).option(
    '--plan <name=minute/day>',
    'additional plan for --plans; repeatable',
    collect,
  )
  addDocumentOptions(command)
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
    options.plans || options.plan ? readPlans(options.plan ?? [], '--plan') : undefined
  const named = given.filter((source) => source !== '')
  const found = named.length > 0 ? undefined : await findAddress(options.config)
  const sources = found ? [found.url] : named
  const { contract } = await openDocument(
    options.openapi ?? (await servedDocument(sources, options)),
    loadOptions(options),
  )
  const recorded = await Promise.all(
    sources.map((source) =>
      readSource(source, contract, options).catch((error: unknown) => {
        throw withOrigin(error, found ?? { url: source })
      }),
    ),
  )
  rejectEmptyTraffic(sources, recorded, adviceFor(recorded))
  const created = report(
    recorded.flatMap(({ recordings }) => recordings),
    contract,
    {
      ...reportOptions,
      ...(replayed && { plans: plansOf(recorded, contract, replayed) }),
    },
    recorded.flatMap(({ notices }) => notices),
    recorded.flatMap(({ receivers = [] }) => receivers),
  )

  return writeReport(created, options)
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

function readSource(
  source: string,
  contract: Contract,
  options: Options,
): Promise<RecordedTraffic> {
  return isAddress(source)
    ? readSandbox(source, contract, options)
    : readRecording(source, contract)
}

function adviceFor(recorded: readonly RecordedTraffic[]): string {
  const [notice] = recorded.flatMap(({ notices }) => notices)
  return notice ?? 'Run the client first. A reset also empties the journal.'
}

/** The plans of the sandbox, or those of the document, merged with those of the command line. */
function plansOf(
  recorded: readonly RecordedTraffic[],
  { sandbox }: Contract,
  given: NonNullable<ReturnType<typeof readPlans>>,
): readonly Plan[] {
  const documented = Object.entries(sandbox?.plans ?? {}).map(([name, plan]) => ({ name, ...plan }))
  const plans = new Map<string, Plan>()
  for (const plan of recorded.find((one) => one.plans)?.plans ?? documented)
    plans.set(plan.name, plan)
  for (const [name, windows] of Object.entries(given)) {
    const known = plans.get(name)
    const { minute = known?.minute ?? 0, day = known?.day ?? 0 } = windows
    plans.set(name, { name, minute, day })
  }
  return [...plans.values()]
}
