import { CONTROL_PATH } from '../http/control-path.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type Paint, printable, toJson } from './log.ts'
import { table } from './table.ts'

/** Below the origin. */

/** Where a sandbox is served. */
export interface Start {
  /** As `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The address that clients use behind a proxy, as `https://example.com/sandbox`. */
  readonly publicUrl?: string | undefined
  /** Absent without a control interface. */
  readonly control?: {
    /** What other machines must bring, when it was made at this start. */
    readonly newToken?: string
  }
}

/** What a developer sees at the start: where the API is, its keys with their plans, and a line to paste. */
export function welcome({ contract, keys }: Sandbox, start: Start, paint: Paint): string {
  const { title, version, basePath } = contract
  const { origin, publicUrl, control } = start
  const rows = keys.map(({ key, plan, always }) => [
    key,
    plan.name,
    always ? ALWAYS[always] : allowance(plan),
  ])

  return [
    '',
    `${paint('bold', printable(title))} ${printable(version)}, sandbox at ${paint('cyan', `${origin}${basePath}`)}`,
    ...(publicUrl === undefined
      ? []
      : [`Public address: ${paint('cyan', printable(`${publicUrl}${basePath}`))}`]),
    '',
    ...table([['KEY', 'PLAN', 'REQUESTS'], ...rows]).map((line) => `  ${printable(line)}`),
    '',
    'Try it:',
    `  ${printable(curl(contract.operations, `${origin}${basePath}`, keys[0]?.key))}`,
    '',
    ...(control
      ? [
          `Steer it at ${paint('cyan', `${origin}${CONTROL_PATH}`)}${tokenLine(control.newToken)}`,
          '',
        ]
      : []),
    paint('dim', 'Stop it with Ctrl+C. More: pet-sandbox --help'),
    '',
    '',
  ].join('\n')
}

const ALWAYS = {
  'rate-limited': "always 429: the minute's requests are spent",
  'day-exhausted': "always 429: the day's requests are spent",
  banned: 'always 429: the key is banned',
} as const

function allowance({ minute, day }: { readonly minute: number; readonly day: number }): string {
  const told = new Intl.NumberFormat('en')
  return `${told.format(minute)} a minute, ${told.format(day)} a day`
}

/** The first operation that needs nothing but a key. */
function curl(operations: Sandbox['contract']['operations'], base: string, key = ''): string {
  const easy = operations.find(
    ({ method, parameters }) => method === 'GET' && !parameters.some(({ required }) => required),
  )
  const address = `${base}${easy?.path ?? operations[0]?.path ?? ''}`

  return `curl -i -H 'Authorization: Bearer ${key}' '${address}'`
}

function tokenLine(token: string | undefined): string {
  return token === undefined ? '' : `, from other machines with\n  Authorization: Bearer ${token}`
}

/** The same for programs: one line of JSON. */
export function startLine(
  { contract, keys }: Sandbox,
  { origin, publicUrl, control }: Start,
): string {
  const { title, version, basePath } = contract
  const plans = Object.fromEntries(keys.map(({ key, plan }) => [key, plan.name]))
  const start = {
    listening: `${origin}${basePath}`,
    ...(publicUrl !== undefined && { public: `${publicUrl}${basePath}` }),
    title,
    version,
    keys: plans,
    ...(control && { control: `${origin}${CONTROL_PATH}`, controlToken: control.newToken }),
  }

  return `${toJson(start)}\n`
}
