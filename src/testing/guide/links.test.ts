import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { anchors, links, prose, readAllPages, readGuide } from './markdown.ts'

const pages = await readAllPages()
const INDEX = '.github/docs/README.md'

const targets = pages.flatMap((page) =>
  links(page)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => ({ page, path: page.path, target })),
)

describe('a link leads to a file that is there, and to a heading of it:', () => {
  test.each(targets)('$target ($path)', ({ page, target }) => {
    const [file = '', anchor] = target.split('#')
    const path = file === '' ? page.path : join(dirname(page.path), file)

    expect(existsSync(path)).toBe(true)
    if (anchor === undefined) return
    const linked = pages.find((one) => one.path === path)
    expect(linked && anchors(linked)).toContain(anchor)
  })
})

test('the index of the guide links to each page', async () => {
  const guide = (await readGuide()).map(({ path }) => path)
  const index = pages.find(({ path }) => path === INDEX)
  const linked = index ? links(index).map((target) => join(dirname(INDEX), target)) : []

  const others = guide.filter((path) => path !== INDEX && path !== 'README.md')
  expect(linked).toEqual(expect.arrayContaining(others))
})

test('the README has at most 700 words outside of code', () => {
  const readme = pages.find(({ path }) => path === 'README.md')
  const words = readme ? prose(readme).match(/\S*[\p{L}\p{N}]\S*/gu) : []

  expect(words?.length).toBeLessThanOrEqual(700)
})
