import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from './running-server.ts';

/** A file system of its own that can be filled to its last byte. */
export class SmallDisk {
  /** Where it is mounted. */
  readonly path = temporaryFolder();
  readonly #filler = join(this.path, 'filler');

  /** Whether this user may mount one, tried out. */
  static isPossible(): boolean {
    const disk = new SmallDisk();
    const mounted = disk.mount(64);
    disk.remove();
    return mounted;
  }

  /** Mounts it with so many KiB, and says whether that was allowed. */
  mount(kibibytes: number): boolean {
    const options = ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', this.path];
    return spawnSync('mount', options, { stdio: 'ignore' }).status === 0;
  }

  /** Takes all the room that is left. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, Buffer.alloc(4096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what {@link fill} took. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    spawnSync('umount', [this.path], { stdio: 'ignore' });
    removeFolder(this.path);
  }
}
