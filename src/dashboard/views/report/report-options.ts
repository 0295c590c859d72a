import type { SandboxClient } from '../../../client/sandbox-client.ts'

/** What makes the report fail, as the client takes it. */
export type ReportOptions = NonNullable<Parameters<SandboxClient['report']>[0]>

/** The groups of rules that can make the report fail, and their names. */
export const FAILING_GROUPS = {
  errors: 'errors',
  warnings: 'errors and warnings',
  all: 'all findings',
  none: 'no finding',
} as const

type Group = keyof typeof FAILING_GROUPS

/** Reads the options of the report from the settings in the address. What is not valid there is the default. */
export function readOptions(query: Readonly<Record<string, string>>): {
  readonly options: ReportOptions
  readonly failOn: Group
  readonly minCoverage: string
} {
  const { failOn: wanted = '', minCoverage = '' } = query
  const failOn = isGroup(wanted) ? wanted : 'errors'
  const percent = /^\d{1,3}$/.test(minCoverage) ? Number(minCoverage) : 0

  return {
    failOn,
    minCoverage,
    options: {
      plans: true,
      failOn: [failOn],
      ...(percent > 0 && { minCoverage: percent }),
    },
  }
}

function isGroup(name: string): name is Group {
  return Object.hasOwn(FAILING_GROUPS, name)
}
