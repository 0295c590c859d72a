import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The licences of all packages in the bundles, which esbuild's metafiles list. */
export async function licences(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  )
  const folders = new Set(
    inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      )
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file
        ? await readFile(join(folder, file), 'utf8')
        : 'The package contains no licence text.'

      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )

  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
