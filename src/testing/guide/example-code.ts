import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const EXAMPLES = 'src/testing/guide/examples'

/** The code that `vitest.test.ts` or `vitest.test.ts#setup` names: a whole file of the examples, or one region of it. */
export async function exampleCode(name: string): Promise<string> {
  const [file = '', region] = name.split('#')
  const text = await readFile(join(EXAMPLES, file), 'utf8')
  if (region === undefined) return withoutMarks(text)

  const lines = text.split('\n')
  const begin = lines.findIndex((line) => line.trim() === `// region ${region}`)
  const end = lines.findIndex((line, at) => at > begin && line.trim() === '// endregion')
  if (begin === -1 || end === -1) throw new Error(`${file} has no region ${region}`)

  return dedent(lines.slice(begin + 1, end))
}

function withoutMarks(text: string): string {
  return text.replace(/^ *\/\/ (?:region .+|endregion)\n/gm, '')
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/))
  const least = Math.min(...indents)
  return lines.map((line) => `${line.slice(least)}\n`).join('')
}
