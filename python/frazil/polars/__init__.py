"""The plug-in: reads Polars' optimised plan and turns it into Frazil's plan, or says why not."""
