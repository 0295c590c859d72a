// Puts the figures between the marks of the README.
import { readFile, writeFile } from 'node:fs/promises'

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->']

/** Replaces what stands between the marks. Throws when they are not there. */
export async function updateReadme(tables) {
  const readme = await readFile('README.md', 'utf8')
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`The README lacks ${BEGIN} and ${END}`)
  const picture = '![Requests a second beside bare Express](.github/bench.svg)'
  const block = [BEGIN, picture, tables, ''].join('\n\n')
  await writeFile('README.md', readme.slice(0, begin) + block + readme.slice(end))
}
