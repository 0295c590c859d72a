import { resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { exampleCode } from './example-code.ts'
import { type CodeBlock, readGuide, renderBlocks } from './markdown.ts'
import { Session } from './session.ts'

/** Blocks whose code is taken from a file of `examples/`, which the tests run. */
const TAKEN = ['ts', 'js', 'yaml', 'json']

/** Blocks whose commands are checked by `commands.test.ts`, and blocks for other programs. */
const OTHERS = ['sh', 'nginx']

const pages = await readGuide()
let session = new Session()

afterEach(async () => {
  await session.end()
  session = new Session()
})

/** What a block shows when it is up to date. */
async function render({ language, code, example }: CodeBlock): Promise<string> {
  if (language === 'console') return session.render(code)
  if (example !== undefined) return exampleCode(example)
  if (TAKEN.includes(language)) throw new Error(`a block comes from no example:\n${code}`)
  if (!OTHERS.includes(language)) throw new Error(`"${language}" is not checked:\n${code}`)
  return code
}

describe('code and output are those of the examples and of real commands in', () => {
  // With --update, each page is written anew.
  test.each(pages)('$path', async (page) => {
    const rendered = await renderBlocks(page, render)

    await expect(rendered).toMatchFileSnapshot(resolve(page.path))
  })
})
