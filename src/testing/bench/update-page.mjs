// Writes the figures between the markers in the guide's page about performance.
import { readFile, writeFile } from 'node:fs/promises'

const PAGE = '.github/docs/performance.md'
const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->']

/** Replaces the text between the markers. Throws when they are missing. */
export async function updatePage(tables) {
  const page = await readFile(PAGE, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`${PAGE} lacks ${BEGIN} and ${END}`)
  const picture = '![Requests a second beside bare Express](../bench.svg)'
  const block = [BEGIN, picture, tables, ''].join('\n\n')
  await writeFile(PAGE, page.slice(0, begin) + block + page.slice(end))
}
