/** Loaded into a server whose memory is looked at: SIGUSR2 has it free what nothing holds. */
import { collectGarbage } from '../mechanism/garbage.ts';

process.on('SIGUSR2', collectGarbage);
