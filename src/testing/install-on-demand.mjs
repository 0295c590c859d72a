// Packages that only some tests and scripts need. They are installed on first use, so that `npm ci` stays small and installs
// only packages that every supported Node version accepts.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/**
 * Installs packages once, and returns the folder with their `node_modules`. `packages` maps names to exact versions. The
 * folder is in `node_modules/.cache`, which `npm ci` removes. Several processes may call it at the same time: the first
 * installation that finishes is used.
 */
export async function installOnDemand(name, packages) {
  const folder = `${CACHE}/${name}`
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: packages })
  if (await isInstalled(folder, manifest)) return folder

  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await install(unfinished, manifest)
    if (!(await isInstalled(folder, manifest))) await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true })
    if (!(await isInstalled(folder, manifest))) throw error
  }
  return folder
}

async function install(folder, manifest) {
  await writeFile(`${folder}/package.json`, manifest)
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const shell = process.platform === 'win32'
  await promisify(execFile)('npm', ['install', ...quiet], { cwd: folder, shell })
  // Written last: it marks the installation as complete.
  await writeFile(`${folder}/installed.json`, manifest)
}

async function isInstalled(folder, manifest) {
  return (await readFile(`${folder}/installed.json`, 'utf8').catch(() => '')) === manifest
}
