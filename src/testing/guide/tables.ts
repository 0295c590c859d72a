import { problems } from '../../http/problem.ts'
import {
  type ErrorCodeEntry,
  PROBLEM_CODES,
  USAGE_ERROR_CODES,
} from '../../validation/error-codes.ts'

const TABLE = /^<!-- table: (.+) -->\n\n([\s\S]*?)\n<!-- \/table -->$/gm

/** The tables that a page takes from the program, by the name that its mark gives: `<!-- table: usage errors -->`. */
const TABLES: Readonly<Record<string, () => string>> = {
  'usage errors': () =>
    table(
      ['code', 'meaning', 'what to do'],
      entriesOf(USAGE_ERROR_CODES).map(([code, { meaning, remedy }]) => [code, meaning, remedy]),
    ),
  problems: () =>
    table(
      ['code', 'status', 'meaning', 'what to do'],
      entriesOf(PROBLEM_CODES).map(([code, { meaning, remedy }]) => [
        code,
        statusesOf(code),
        meaning,
        remedy,
      ]),
    ),
}

/** Every problem that there is, for its status. */
const made = [
  problems.invalidInput([]),
  problems.headersTooLarge(''),
  problems.unauthorized('', '', ''),
  problems.forbidden(''),
  problems.outdatedPage(''),
  problems.notFound(''),
  problems.operationRemoved(''),
  problems.methodNotAllowed('', ''),
  problems.requestTimeout(''),
  problems.noExchange('', []),
  problems.payloadTooLarge(0),
  problems.unsupportedMediaType(''),
  problems.rateLimitExceeded('', 0, ''),
  problems.keyBanned('', 0, ''),
  problems.internalError(''),
  problems.notAcceptable(''),
  problems.unavailable('', 0),
  problems.connectionReset(),
  problems.incompleteBody(),
  problems.noAnswer(),
]

/** The statuses of a code, such as `400, 431`; `–` where there is no response. */
function statusesOf(code: string): string {
  if (code === 'forced_status') return '400–599'
  const statuses = made.filter((problem) => problem.code === code).map(({ status }) => status)
  if (statuses.length === 0) throw new Error(`No problem has the code ${code}`)
  return statuses.map((status) => (status === 0 ? '–' : status)).join(', ')
}

/** The page's text with its tables as they are now. */
export function renderTables(text: string): string {
  return text.replace(TABLE, (marked: string, name: string, shown: string) => {
    const render = TABLES[name]
    if (!render) throw new Error(`There is no table "${name}"`)
    return marked.replace(shown, () => render())
  })
}

function entriesOf(
  codes: Readonly<Record<string, ErrorCodeEntry>>,
): readonly (readonly [code: string, entry: ErrorCodeEntry])[] {
  return Object.entries(codes)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [
    head,
    head.map(() => '---'),
    ...rows.map(([code, ...texts]) => [`\`${code}\``, ...texts.map(marked)]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** Options and quoted words of a sentence as code, so that Markdown leaves them as they are. */
function marked(sentence: string): string {
  return sentence
    .replace(
      /"([^"]+)"|(--[a-z-]+)/g,
      (_code, quoted = '', option = '') => `\`${quoted}${option}\``,
    )
    .replaceAll('|', '\\|')
}
