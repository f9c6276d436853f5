"""The probe's proxy with its judgement of answers removed, to see the probe notice."""

from battles.lanes import egress_proxy
from battles.lanes.egress_probe_proxy import make_proxy

if __name__ == "__main__":
    egress_proxy.judge_connection = lambda *args: None
    egress_proxy.main(make_proxy)
