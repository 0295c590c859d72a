import type { Inputs } from '../generated/control-types.ts'
import { type CoreResponse, json } from '../http/message.ts'
import { CONTENT_SECURITY_POLICY } from '../http/response-headers.ts'
import type { Report } from '../report/report.ts'
import { checkRuleNames } from '../report/rules.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { Handlers } from './call.ts'

/** The page loads nothing and runs nothing, whatever the client of the API has sent. */
const HTML_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Disposition': 'attachment; filename="report.html"',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
}

const JUNIT_HEADERS = {
  'Content-Type': 'application/xml',
  'Content-Disposition': 'attachment; filename="report.xml"',
}

/** The handler for the report on the client of the API. */
export const report: Handlers<'getReport'> = {
  getReport: async ({ world, openJournal, input: { query } }) => {
    const { format, ...options } = query
    const source = { contract: world.contract, plans: world.plans, journal: await openJournal() }
    const { reportOnWorld } = await import('../report/report.ts')
    const { service } = SandboxWorld.handleOf(world)().state
    const content = reportOnWorld(source, service.settings.ban, toReportOptions(options))

    return formatReport(content, format)
  },
}

/** The report in a format. Loads the writers of the other formats only when they are requested. */
async function formatReport(
  content: Report,
  format: Inputs['getReport']['query']['format'],
): Promise<CoreResponse> {
  if (format === 'html') {
    const { toHtml } = await import('../report/html/page.tsx')
    return { status: 200, headers: HTML_HEADERS, body: toHtml(content) }
  }
  if (format === 'junit') {
    const { reportToJUnit } = await import('../report/junit.ts')
    return { status: 200, headers: JUNIT_HEADERS, body: reportToJUnit(content) }
  }
  return json(200, content)
}

/** The query as `World.report` takes it. Throws a UsageError for an unknown rule. */
function toReportOptions(query: Omit<Inputs['getReport']['query'], 'format'>): WorldReportOptions {
  const { failOn, only, ignore, minCoverage, plans } = query
  return {
    ...(failOn !== undefined && { failOn: checkRuleNames(failOn.split(',')) }),
    ...(only !== undefined && { only: checkRuleNames(only.split(',')) }),
    ...(ignore !== undefined && { ignore: checkRuleNames(ignore.split(',')) }),
    ...(minCoverage !== undefined && { minCoverage }),
    ...(plans !== undefined && { plans }),
  }
}
